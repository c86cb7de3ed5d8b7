import { openRecording } from '@antelope-history/test-support/recordings';
import { writeBenchmarkFile } from '../benchmark-file';
import { countContents } from '../chain-contents';
import { continueChain } from '../growth/continued-chain';
import { growthCases } from '../growth/growth-cases';
import { readOptions } from '../command-line';
import { LOAD_OPTIONS, readLoadOptions } from '../load-options';
import { medianOf } from '../queries/measure-queries';
import { recordedBlocks } from '../recorded-blocks';
import { readFacts } from '../suite-queries/chain-facts';
import { FollowedChain } from './followed-chain';
import { type CaseWhileIndexing, measureWhileIndexing, roundsOf } from './measure-while-indexing';

const USAGE = `npm run bench -- queries-while-indexing --recording DIR [--runs N] [--seconds N] [--connections N] [--out FILE]

Measures requests to the embedded set while it indexes as fast as it can, against the same requests while it has nothing to index. A
recording without forks is continued (see growth), and the service gets it round by round: for each kind of requests, one round with
them and --seconds without one, in turns; and in each run one round without requests. The service, the client and the node are
processes of their own: on a machine with fewer than four processors they compete for them. Ratios are medians of the runs. --out
writes all figures as JSON. Exit status 1 if a response differs.
`;
/** Of the kinds that `growth` measures: the page of a wallet, a lookup, and one that takes long. */
const CASES = ['get_actions, 20 rows', 'get_transaction', 'chain get_block'];

/** What indexing costs requests, and requests cost indexing. */
export async function benchWhileIndexing(args: string[]): Promise<void> {
  const values = readOptions(args, { usage: USAGE, options: LOAD_OPTIONS, required: ['recording'] });
  if (!values) return;
  const options = readLoadOptions(values);
  const recording = openRecording(values.recording);
  const { traces } = countContents(recording);
  const facts = readFacts(recordedBlocks(recording));
  const rounds = 1 + roundsOf(CASES.length, options.runs);
  const continued = continueChain(recording, rounds);
  const chain = await FollowedChain.start(continued, rounds);
  try {
    const queries = growthCases(facts, continued, rounds, chain.lastBlock).filter(({ name }) => CASES.includes(name));
    const figures = await measureWhileIndexing(chain, queries, options);
    print(HEADINGS);
    for (const each of figures.cases) print(cellsOf(each, traces, figures.indexingAlone));
    writeBenchmarkFile(values.out, {
      benchmark: 'queries-while-indexing',
      options,
      figures: { ...figures, tracesPerRound: traces },
    });
    if (figures.cases.some(({ equal }) => !equal)) process.exitCode = 1;
  } finally {
    await chain.remove();
  }
}

const HEADINGS = [
  'request',
  'requests/s',
  'indexing',
  'ratio',
  'p99 ms',
  'indexing',
  'ratio',
  'traces/s',
  'requests',
  'ratio',
  'equal',
];

function cellsOf(
  { name, alone, beside, indexing, equal }: CaseWhileIndexing,
  traces: number,
  indexingAlone: readonly number[],
): string[] {
  const ratio = (over: readonly number[], under: readonly number[]): string =>
    medianOf(over.map((value, run) => value / (under[run] ?? NaN))).toFixed(2);
  const rates = [alone, beside].map((runs) => runs.map(({ perSecond }) => perSecond)) as [number[], number[]];
  const p99 = [alone, beside].map((runs) => runs.map((run) => run.p99)) as [number[], number[]];
  return [
    name,
    ...rates.map((runs) => medianOf(runs).toFixed(0)),
    ratio(rates[1], rates[0]),
    ...p99.map((runs) => medianOf(runs).toFixed(1)),
    ratio(p99[1], p99[0]),
    (traces / medianOf(indexingAlone)).toFixed(0),
    (traces / medianOf(indexing)).toFixed(0),
    ratio(indexingAlone, indexing),
    equal ? 'equal' : 'NOT EQUAL',
  ];
}

function print(cells: readonly string[]): void {
  const line = cells.map((cell, index) => (index === 0 ? cell.padEnd(22) : cell.padStart(10)));
  process.stdout.write(`${line.join(' ')}\n`);
}
