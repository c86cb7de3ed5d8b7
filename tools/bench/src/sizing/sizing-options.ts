import path from 'node:path';
import { parseArgs } from 'node:util';
import { CommandLineError, parseNumber, parseOptions } from '@antelope-history/processes';
import type { ChainSize } from './costs';
import type { SizedChain, SizingOptions } from './render-sizing';

export const USAGE = `npm run sizing -- [--embedded FILE] [--suite FILE] [--queries FILE] [--blocks N --actions N | --blocks N --traces N]
                  [--machines N] [--processors N] [--memory-gib N] [--replicas N]
                  [--blocks-per-index N] [--actions-per-index N] [--write]

Computes disks, shards, memory, machines and days of a backfill for a chain, and the requests that a processor serves, from what
the benchmarks indexing (--embedded), suite and queries of npm run bench wrote with --out; by default from the files in
tools/bench/measured. Without --blocks: for a large and for a small chain.
--actions counts each action once, without the onblock of each block; --traces is the global_sequence of a recent action.
--processors and --memory-gib: of each machine (16 and 64 by default). --replicas, --blocks-per-index and --actions-per-index: the
keys of store.elasticsearch (1, 1,000,000 and 200,000,000 by default). --write writes the section into docs/sizing.md.
`;

const MEASURED = path.join(__dirname, '../../measured');
const number = (value: string) => ({ type: 'string', default: value }) as const;
const text = { type: 'string' } as const;

const OPTIONS = {
  embedded: { type: 'string', default: path.join(MEASURED, 'embedded.json') },
  suite: { type: 'string', default: path.join(MEASURED, 'suite.json') },
  queries: { type: 'string', default: path.join(MEASURED, 'queries.json') },
  blocks: text,
  actions: text,
  traces: text,
  machines: text,
  processors: number('16'),
  'memory-gib': number('64'),
  replicas: number('1'),
  'blocks-per-index': number('1000000'),
  'actions-per-index': number('200000000'),
  write: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

/** What the document is computed with: options that `--write` refuses. */
const CHANGING = [
  'blocks',
  'machines',
  'processors',
  'memory-gib',
  'replicas',
  'blocks-per-index',
  'actions-per-index',
] as const;

/** Names of the measured files. */
export interface MeasuredFiles {
  embedded: string;
  suite: string;
  queries: string;
}

export interface CommandLine {
  help: boolean;
  write: boolean;
  files: MeasuredFiles;
  /** `tracesPerAction`: of the measured chain, to convert traces into actions. */
  sizing(tracesPerAction: number): SizingOptions;
}

/** Chains of the document. */
const PRESETS: readonly SizedChain[] = [
  { name: 'A large chain', blocks: 400_000_000, actions: 100_000_000_000 },
  { name: 'A small chain', blocks: 50_000_000, actions: 20_000_000 },
];
const MACHINES = [1, 2, 3, 6, 12];
/** The last block number that the chain protocol has. */
const MAX_BLOCKS = 2 ** 32 - 1;
const MAX_ACTIONS = 999_999_999_999_999;
const MAX_MACHINES = 100_000;
const MAX_PROCESSORS = 100_000;
const MAX_MEMORY_GIB = 1_000_000;
const MAX_REPLICAS = 10;
const MAX_BLOCKS_PER_INDEX = 1_000_000_000;
const MAX_ACTIONS_PER_INDEX = 1_000_000_000;
const GIB = 2 ** 30;

/** Parses a command line. Throws a `CommandLineError` that names the wrong option. */
export function parseCommandLine(args: string[]): CommandLine {
  const values = parseOptions('npm run sizing', () => parseArgs({ args, options: OPTIONS }));
  const { blocks, actions, traces, machines } = values;
  if (values.write && CHANGING.some((option) => values[option] !== defaultOf(option))) {
    throw new CommandLineError(
      '--write cannot be combined with an option that changes what is computed; leave it out.',
    );
  }
  if (blocks === undefined && (actions ?? traces) !== undefined) {
    throw new CommandLineError('--actions and --traces need --blocks: add the number of blocks of the chain.');
  }
  if (blocks !== undefined && (actions === undefined) === (traces === undefined)) {
    throw new CommandLineError('--blocks needs either --actions or --traces: add one of them.');
  }
  const site = {
    processors: parseNumber('processors', values.processors, [1, MAX_PROCESSORS]),
    memoryBytes: parseNumber('memory-gib', values['memory-gib'], [1, MAX_MEMORY_GIB]) * GIB,
    replicas: parseNumber('replicas', values.replicas, [0, MAX_REPLICAS]),
    blocksPerIndex: parseNumber('blocks-per-index', values['blocks-per-index'], [1, MAX_BLOCKS_PER_INDEX]),
    actionsPerIndex: parseNumber('actions-per-index', values['actions-per-index'], [1, MAX_ACTIONS_PER_INDEX]),
  };
  const counts = machines === undefined ? MACHINES : [parseNumber('machines', machines, [1, MAX_MACHINES])];
  const sizeGiven = blocks === undefined ? undefined : givenSize(blocks, { actions, traces });
  return {
    help: values.help === true,
    write: values.write === true,
    files: { embedded: values.embedded, suite: values.suite, queries: values.queries },
    sizing: (tracesPerAction) => ({
      site,
      machines: counts,
      chains: sizeGiven ? [{ name: 'The chain', ...sizeGiven(tracesPerAction) }] : PRESETS,
    }),
  };
}

function defaultOf(option: (typeof CHANGING)[number]): string | undefined {
  const described = OPTIONS[option];
  return 'default' in described ? described.default : undefined;
}

function givenSize(
  blocks: string,
  { actions, traces }: Record<'actions' | 'traces', string | undefined>,
): (tracesPerAction: number) => ChainSize {
  const count = parseNumber('blocks', blocks, [1, MAX_BLOCKS]);
  if (actions !== undefined) {
    const given = parseNumber('actions', actions, [0, MAX_ACTIONS]);
    return () => ({ blocks: count, actions: given });
  }
  const given = parseNumber('traces', traces ?? '', [0, MAX_ACTIONS]);
  // Each block has the trace of its onblock.
  return (tracesPerAction) => ({
    blocks: count,
    actions: Math.round(Math.max(0, given - count) / tracesPerAction),
  });
}
