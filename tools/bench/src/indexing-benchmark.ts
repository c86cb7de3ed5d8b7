import { parseNumber } from '@antelope-history/processes';
import { measureBareLmdb } from './bare-lmdb';
import { writeBenchmarkFile } from './benchmark-file';
import { type ChainContents, countContents } from './chain-contents';
import { BLOCKS, readOptions, ROUNDS } from './command-line';
import { measureDecoding, type DecodingFigures } from './decoding';
import { measureBareSocket, measureIngestion, type IngestionFigures } from './ingestion';
import { type MeasuredChain, onblockChain, recordedChain } from './measured-chain';

const USAGE = `npm run bench -- indexing --recording DIR [--runs N] [--onblock-blocks N] [--threads N] [--out FILE]

Measures, on a recorded chain: decoding alone, against @wharfkit/antelope; the bare socket, which is the limit of reading;
the whole service from the socket to blocks committed in the embedded store; and a loop that writes the same rows to LMDB and does
nothing else, which is the limit of storing. Ratios are of the same run. The service also indexes --onblock-blocks blocks (20,000
by default) with nothing but their onblock: what a block costs. --threads: the threads that deserialize (default 0: the one that
reads and writes does). "busiest" is the processor time of the busiest thread, which no further processor makes shorter. --out writes all figures as JSON, which npm run sizing reads.
`;

/** As `indexer.deserializer_threads` takes them. */
const THREADS = [0, 16] as const;

/** Figures of the embedded set on one chain. */
export interface EmbeddedChainFigures {
  contents: ChainContents;
  runs: (IngestionFigures & { bareSocketSeconds: number; bareLmdbSeconds: number })[];
}

export interface EmbeddedFigures {
  decoding: DecodingFigures;
  recording: EmbeddedChainFigures;
  onblock: EmbeddedChainFigures;
}

/** Decoding alone, and the embedded set from the socket to the committed block. */
export async function benchIndexing(args: string[]): Promise<void> {
  const options = {
    recording: { type: 'string' },
    runs: { type: 'string', default: '5' },
    'onblock-blocks': { type: 'string', default: '20000' },
    threads: { type: 'string', default: '0' },
    out: { type: 'string' },
    help: { type: 'boolean' },
  } as const;
  const values = readOptions(args, { usage: USAGE, options, required: ['recording'] });
  if (!values) return;
  const used = {
    runs: parseNumber('runs', values.runs, ROUNDS),
    onblockBlocks: parseNumber('onblock-blocks', values['onblock-blocks'], BLOCKS),
    threads: parseNumber('threads', values.threads, THREADS),
  };
  const chain = recordedChain(values.recording);
  const decoding = measureDecoding(chain.recording);
  printDecoding(chain, decoding);
  const recording = await measureChain(chain, used);
  print(`blocks with onblock only: ${used.onblockBlocks}`);
  const onblock = await measureChain(onblockChain(used.onblockBlocks), used);
  const figures: EmbeddedFigures = { decoding, recording, onblock };
  writeBenchmarkFile(values.out, { benchmark: 'indexing', options: used, figures });
}

function printDecoding({ recording }: MeasuredChain, decoding: DecodingFigures): void {
  const bytes = recording.messages.reduce((total, message) => total + message.bytes.length, 0);
  print(`recording          ${recording.messages.length} messages, ${mega(bytes)} MB`);
  print(
    `contents           ${decoding.transactions} transactions, ${decoding.actions} actions, ${decoding.traces} action traces`,
  );
  print(`structural decode  ${rate(decoding.structuralRate)} traces/s`);
  print(`into records       ${rate(decoding.recordsRate)} traces/s`);
  print(
    `@wharfkit/antelope ${rate(decoding.wharfkitRate)} traces/s; ours on the same ${decoding.wharfkitTraces} traces, ` +
      `equal output: ${(decoding.oursBesideWharfkitRate / decoding.wharfkitRate).toFixed(1)} times as fast`,
  );
}

/** The whole service and the bare socket on one chain, in turns. */
async function measureChain(
  chain: MeasuredChain,
  { runs, threads }: { runs: number; threads: number },
): Promise<EmbeddedChainFigures> {
  const contents = countContents(chain.recording);
  const figures: EmbeddedChainFigures = { contents, runs: [] };
  for (let index = 1; index <= runs; index++) {
    const bareSocketSeconds = await measureBareSocket(chain);
    let bareLmdbSeconds = NaN;
    const service = await measureIngestion(chain, {
      environment: { HISTORY_INDEXER__DESERIALIZER_THREADS: String(threads) },
      async then(store) {
        bareLmdbSeconds = await measureBareLmdb(store);
      },
    });
    figures.runs.push({ ...service, bareSocketSeconds, bareLmdbSeconds });
    print(
      `run ${index}: bare socket ${rate(contents.traces / bareSocketSeconds)} traces/s, ` +
        `bare LMDB ${rate(contents.traces / bareLmdbSeconds)} traces/s; ` +
        describe(service, contents.traces, bareSocketSeconds, bareLmdbSeconds),
    );
  }
  return figures;
}

function describe(service: IngestionFigures, traces: number, socket: number, lmdb: number): string {
  const memory = service.peakMemoryBytes === undefined ? 'unknown' : `${mega(service.peakMemoryBytes)} MB`;
  const used = describeSeconds(service.processorSeconds);
  const busiest = describeSeconds(service.busiestThreadSeconds);
  return (
    `socket to committed ${rate(traces / service.seconds)} traces/s (${(socket / service.seconds).toFixed(2)} and ${(lmdb / service.seconds).toFixed(2)} of them), ` +
    `processor time ${used}, busiest ${busiest}, ${(service.diskBytes / traces).toFixed(1)} bytes on disk per trace, peak memory ${memory}`
  );
}

const describeSeconds = (seconds: number | undefined): string =>
  seconds === undefined ? 'unknown' : `${seconds.toFixed(1)} s`;
const rate = (perSecond: number): string => Math.round(perSecond).toLocaleString('en');
const mega = (bytes: number): string => (bytes / 1e6).toFixed(1);
const print = (line: string): void => void process.stdout.write(`${line}\n`);
