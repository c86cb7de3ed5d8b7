import { parseNumber } from '@antelope-history/processes';
import { openRecording } from '@antelope-history/test-support/recordings';
import { writeBenchmarkFile } from '../benchmark-file';
import { type ChainContents, countContents } from '../chain-contents';
import { readOptions, ROUNDS } from '../command-line';
import { quantile } from '../load';
import { readRunOptions } from '../load-options';
import { recordedBlocks } from '../recorded-blocks';
import { readFacts } from '../suite-queries/chain-facts';
import { continueChain } from './continued-chain';
import { GrownChain, type IndexingFigures } from './grown-chain';
import { type GrowthFigures, measureQueries } from './measure-growth';

const USAGE = `npm run bench -- growth --recording DIR [--rounds 1,4,16,64] [--runs N] [--seconds N] [--out FILE]

Measures how cost grows with the chain, on the embedded set. A recording without forks is continued: its blocks follow each other
again with other numbers, ids, times and sequences, as often as --rounds says. For each length, indexing from the socket to the
committed block: traces per second of the whole chain and of its last quarter, bytes on disk, and memory without the pages of the
store's file; then the start of the service, and the median time of requests with one connection, the lengths in turns. Ratios are to
the first length; those of requests are medians of the runs with the lowest and the highest. Responses about the first round have to
be the same at each length. --out writes all figures as JSON. Exit status 1 if a response differs.
`;

/** How the embedded set changes with the length of the chain. */
export async function benchGrowth(args: string[]): Promise<void> {
  const options = {
    recording: { type: 'string' },
    rounds: { type: 'string', default: '1,4,16,64' },
    runs: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '1' },
    out: { type: 'string' },
    help: { type: 'boolean' },
  } as const;
  const values = readOptions(args, { usage: USAGE, options, required: ['recording'] });
  if (!values) return;
  const lengths = values.rounds.split(',').map((rounds) => parseNumber('rounds', rounds, ROUNDS));
  const load = readRunOptions(values);
  const recording = openRecording(values.recording);
  const contents = countContents(recording);
  const chains: GrownChain[] = [];
  const indexing: IndexingFigures[] = [];
  try {
    print(INDEXING_WIDTHS, INDEXING_HEADINGS);
    for (const rounds of lengths) {
      const chain = await GrownChain.serve(continueChain(recording, rounds), rounds);
      chains.push(chain);
      indexing.push(await chain.index());
      print(INDEXING_WIDTHS, indexingCells(contents, lengths, indexing));
    }
    const queries = await measureQueries(chains, readFacts(recordedBlocks(recording)), load);
    for (const line of queryLines(lengths, queries)) print(QUERY_WIDTHS, line);
    writeBenchmarkFile(values.out, {
      benchmark: 'growth',
      options: load,
      figures: { contents, lengths, indexing, ...queries },
    });
    if (queries.cases.some(({ equal }) => !equal)) process.exitCode = 1;
  } finally {
    for (const chain of chains) await chain.remove();
  }
}

const INDEXING_HEADINGS = [
  'rounds',
  'traces',
  'traces/s',
  'ratio',
  'last quarter',
  'ratio',
  'bytes/trace',
  'ratio',
  'MB',
];
const INDEXING_WIDTHS = [6, 12, 10, 7, 13, 7, 12, 7, 8];

/** The cells of the last length; its ratios are to the first one. */
function indexingCells(
  { traces: perRound }: ChainContents,
  lengths: readonly number[],
  indexing: readonly IndexingFigures[],
): string[] {
  const ratesOf = (index: number) => {
    const { seconds, roundSeconds, diskBytes, memoryBytes = NaN } = indexing[index] as IndexingFigures;
    const traces = perRound * roundSeconds.length;
    const quarter = roundSeconds.slice(-Math.ceil(roundSeconds.length / 4));
    const late = (perRound * quarter.length) / quarter.reduce((sum, each) => sum + each, 0);
    return { traces, whole: traces / seconds, late, bytes: diskBytes / traces, memory: memoryBytes / 1e6 };
  };
  const last = indexing.length - 1;
  const [base, own] = [ratesOf(0), ratesOf(last)];
  return [
    String(lengths[last]),
    own.traces.toLocaleString('en'),
    own.whole.toFixed(0),
    (own.whole / base.whole).toFixed(2),
    own.late.toFixed(0),
    (own.late / base.whole).toFixed(2),
    own.bytes.toFixed(1),
    (own.bytes / base.bytes).toFixed(2),
    own.memory.toFixed(0),
  ];
}

const QUERY_WIDTHS = [26, 9, 9, 20, 9, 20, 9, 20, 6];

function queryLines(lengths: readonly number[], { startMs, cases }: GrowthFigures): string[][] {
  const headings = ['p50 ms', ...lengths.flatMap((rounds, index) => [`${rounds}×`, ...(index === 0 ? [] : ['ratio'])])];
  const start = ['start', ...startMs.flatMap((ms, index) => [ms.toFixed(0), ...(index === 0 ? [] : [''])])];
  const ofCases = cases.map(({ name, p50, equal }) => [
    name,
    ...p50.flatMap((runs, index) => [
      middle(runs).toFixed(2),
      ...(index === 0 ? [] : [spread(runs.map((ms, each) => ms / (p50[0]?.[each] ?? NaN)))]),
    ]),
    equal ? 'equal' : 'NOT EQUAL',
  ]);
  return [headings, start, ...ofCases];
}

const ascending = (values: readonly number[]): number[] => [...values].sort((left, right) => left - right);
const middle = (values: readonly number[]): number => quantile(ascending(values), 0.5);

function spread(ratios: readonly number[]): string {
  const sorted = ascending(ratios);
  return `${middle(sorted).toFixed(2)} (${(sorted[0] ?? NaN).toFixed(2)}-${(sorted.at(-1) ?? NaN).toFixed(2)})`;
}

function print(widths: readonly number[], cells: readonly string[]): void {
  const line = cells.map((cell, index) =>
    index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[index] ?? 0),
  );
  process.stdout.write(`${line.join(' ')}\n`);
}
