import { parseNumber, type Suite } from '@antelope-history/processes';
import type { BlockRecords } from '@antelope-history/records';
import { actionDocuments } from './action-documents';
import { type BareBulkFigures, measureBareBulk } from './bare-bulk';
import { writeBenchmarkFile } from './benchmark-file';
import { type ChainContents, countContents } from './chain-contents';
import { BLOCKS, PROCESSES, readOptions, ROUNDS } from './command-line';
import { ElasticsearchRequests } from './index-documents';
import { type MeasuredChain, onblockChain, recordedChain, repeatedChain } from './measured-chain';
import { listenerOf } from './processor-time';
import { recordedBlocks } from './recorded-blocks';
import {
  type IndexFigures,
  measureSuiteIngestion,
  type SuiteCounts,
  type SuiteIngestionFigures,
} from './suite-ingestion';

const DEFAULT_COUNT = '2';

const USAGE = `npm run bench -- suite --recording DIR [OPTIONS]

Indexes a recorded chain with every app as a process of its own on Elasticsearch, RabbitMQ and Redis, and measures from
the socket to the commit of the last block: actions per second, processor time of our processes and of the servers, bytes
per action. A first run warms the servers up. Then a bare loop of _bulk requests writes the same documents: it is the
limit. At the end the suite indexes blocks with nothing but their onblock: what a block costs.

  --deserializers N, --indexers N, --apis N   processes of each app (default: ${DEFAULT_COUNT})
  --rounds N          repeats the blocks of the recording N times, as growth does (default: 1). Processes that have just
                      started compile their own code, which is a smaller share of a longer run
  --onblock-blocks N  blocks with nothing but their onblock (default: 20000)
  --out FILE          writes all figures as JSON, which npm run sizing reads
`;
/** Defaults of the indexers, see docs/configuration.md. */
const BULK_BYTES = 8 * 1024 * 1024;
const BULK_CONCURRENCY = 2;

/** Figures of the suite on one chain, as JSON. Maps are objects with a key per app, server or kind of index. */
export interface SuiteChainFigures {
  contents: ChainContents;
  seconds: number;
  processorSeconds: Record<string, number | undefined>;
  peakMemoryBytes: Record<string, number>;
  indices: Record<string, IndexFigures>;
}

export interface SuiteFigures {
  recording: SuiteChainFigures;
  onblock: SuiteChainFigures;
  /** The recording's documents, written by bare requests. */
  bareBulk: BareBulkFigures | undefined;
}

/** The distributed set from the socket to the committed block. */
export async function benchSuite(args: string[]): Promise<void> {
  const count = { type: 'string', default: DEFAULT_COUNT } as const;
  const options = {
    recording: { type: 'string' },
    deserializers: count,
    indexers: count,
    apis: count,
    rounds: { type: 'string', default: '1' },
    'onblock-blocks': { type: 'string', default: '20000' },
    out: { type: 'string' },
    help: { type: 'boolean' },
  } as const;
  const values = readOptions(args, { usage: USAGE, options, required: ['recording'] });
  if (!values) return;
  const rounds = parseNumber('rounds', values.rounds, ROUNDS);
  const counts = {
    deserializers: parseNumber('deserializers', values.deserializers, PROCESSES),
    indexers: parseNumber('indexers', values.indexers, PROCESSES),
    apis: parseNumber('apis', values.apis, PROCESSES),
  };
  const onblockBlocks = parseNumber('onblock-blocks', values['onblock-blocks'], BLOCKS);
  const chain = rounds > 1 ? repeatedChain(values.recording, rounds) : recordedChain(values.recording);
  const figures = await measureAll(chain, onblockChain(onblockBlocks), counts);
  writeBenchmarkFile(values.out, { benchmark: 'suite', options: { ...counts, rounds, onblockBlocks }, figures });
}

async function measureAll(chain: MeasuredChain, blocks: MeasuredChain, counts: SuiteCounts): Promise<SuiteFigures> {
  // A server that has just started still compiles its own code.
  await measureSuiteIngestion(chain, counts, () => Promise.resolve());
  let bareBulk: BareBulkFigures | undefined;
  const recording = await measureChain(chain, counts, async (suite, measured, contents) => {
    bareBulk = await measureLimit(suite, recordedBlocks(chain.recording), BULK_CONCURRENCY * counts.indexers);
    printLimit(bareBulk, measured, contents);
  });
  print('blocks with onblock only');
  return { recording, onblock: await measureChain(blocks, counts), bareBulk };
}

async function measureChain(
  chain: MeasuredChain,
  counts: SuiteCounts,
  then?: (suite: Suite, measured: SuiteIngestionFigures, contents: ChainContents) => Promise<void>,
): Promise<SuiteChainFigures> {
  const contents = countContents(chain.recording);
  print(`recording      ${contents.messages} messages, ${contents.blocks} blocks, ${contents.actions} actions`);
  let figures: SuiteChainFigures | undefined;
  await measureSuiteIngestion(chain, counts, async (suite, measured) => {
    printFigures(measured, contents);
    figures = {
      contents,
      seconds: measured.seconds,
      processorSeconds: Object.fromEntries(measured.processorSeconds),
      peakMemoryBytes: Object.fromEntries(measured.peakMemoryBytes),
      indices: Object.fromEntries(measured.indices),
    };
    await then?.(suite, measured, contents);
  });
  if (!figures) throw new Error('the suite was not measured');
  return figures;
}

function printFigures(measured: SuiteIngestionFigures, expected: ChainContents): void {
  const { seconds, figures, indices, processorSeconds } = measured;
  const documentsOf = (records: string): number => indices.get(records)?.documents ?? 0;
  print(`suite          ${rate(expected.actions / seconds)} actions/s in ${seconds.toFixed(1)} s, socket to committed`);
  print(
    `messages       ${figures.readMessages} read, ${figures.deserializedBlocks} deserialized, ${figures.indexedBlocks} indexed`,
  );
  print(`stored         ${documentsOf('blocks')} blocks, ${documentsOf('actions')} actions`);
  for (const [name, used] of processorSeconds) {
    print(`processor      ${name.padEnd(14)} ${used === undefined ? 'not on this machine' : `${used.toFixed(1)} s`}`);
  }
  const bytes = [...indices.values()].reduce((sum, index) => sum + index.bytes, 0);
  const parts = [...indices].map(([records, index]) => `${records} ${(index.bytes / expected.actions).toFixed(1)}`);
  print(`Elasticsearch  ${(bytes / expected.actions).toFixed(1)} bytes per action, merged: ${parts.join(', ')}`);
  const isComplete =
    figures.readMessages === expected.messages &&
    documentsOf('blocks') === expected.blocks &&
    documentsOf('actions') === expected.actions;
  print(
    isComplete ? 'the counts of messages, blocks and actions are equal to those of the recording' : 'COUNTS DIFFER',
  );
  if (!isComplete) process.exitCode = 1;
}

async function measureLimit(
  { set }: Suite,
  blocks: readonly BlockRecords[],
  concurrency: number,
): Promise<BareBulkFigures> {
  const url = set.servers.get('elasticsearch') ?? '';
  const requests = new ElasticsearchRequests(url);
  const serverPid = listenerOf(Number(new URL(url).port));
  // Below the suite's own prefix, so that the suite removes them.
  const to = `${set.name}-bare`;
  const actions = actionDocuments(blocks);
  return measureBareBulk({ requests, from: set.name, to, actions, bulkBytes: BULK_BYTES, concurrency, serverPid });
}

function printLimit(limit: BareBulkFigures, { seconds }: SuiteIngestionFigures, { actions }: ChainContents): void {
  const used = limit.serverSeconds === undefined ? '' : ` by ${limit.serverSeconds.toFixed(1)} s of its processors`;
  print(
    `bare _bulk     ${rate(actions / limit.seconds)} actions/s: ${limit.documents} equal documents in ` +
      `${limit.seconds.toFixed(1)} s${used}; the suite reaches ${(limit.seconds / seconds).toFixed(2)} of it`,
  );
}

const rate = (perSecond: number): string => Math.round(perSecond).toLocaleString('en');
const print = (line: string): void => void process.stdout.write(`${line}\n`);
