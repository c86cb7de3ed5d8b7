import { type MeasuredFile, MeasuredFileError } from '../measured-file';
import { medianOf } from '../queries/measure-queries';

/** What a chain takes of something: a part per block, and a part per action besides the `onblock` of each block. */
export interface Cost {
  perBlock: number;
  perAction: number;
}

/** A chain by its size. */
export interface ChainSize {
  blocks: number;
  /** Actions besides the `onblock` of each block, each counted once with all its traces. */
  actions: number;
}

/** The sum of a cost over a chain. */
export function totalOf({ perBlock, perAction }: Cost, { blocks, actions }: ChainSize): number {
  return blocks * perBlock + actions * perAction;
}

/**
 * The cost from two measurements: blocks with `onblock` only give the part per block; what the recording takes above that is
 * divided by its actions.
 */
export function costFrom(onblock: { blocks: number; total: number }, recording: ChainSize & { total: number }): Cost {
  const perBlock = onblock.total / onblock.blocks;
  const rest = recording.total - perBlock * recording.blocks;
  return { perBlock, perAction: Math.max(0, rest / recording.actions) };
}

/** The chain that a cost was measured on. */
export interface MeasuredChainSize extends ChainSize {
  traces: number;
}

/** Costs of the embedded set. */
export interface EmbeddedCosts {
  chain: MeasuredChainSize;
  diskBytes: Cost;
  /** Seconds of all threads. */
  processorSeconds: Cost;
  /** Seconds of the thread that works most. */
  busiestThreadSeconds: Cost;
  /** Peak resident memory of the process. */
  memoryBytes: number;
}

/** Stages of the suite, in the order in which a block passes them. */
export const STAGES = ['reader', 'rabbitmq', 'deserializer', 'indexer', 'elasticsearch'] as const;
export type Stage = (typeof STAGES)[number];

/** Kinds of documents with an index for each range of blocks. */
export const RANGED_KINDS = ['actions', 'blocks', 'bodies'] as const;
export type RangedKind = (typeof RANGED_KINDS)[number];

/** Kinds of documents that do not grow with the chain: the indexers delete obsolete entries. */
const PASSING_KINDS = ['journal', 'progress'];

/** Costs of the suite, without replicas. */
export interface SuiteCosts {
  chain: MeasuredChainSize;
  /** Bytes in Elasticsearch after a merge; `others`: of the indices that exist once and grow with the chain. */
  diskBytes: Record<RangedKind | 'others', Cost>;
  /** Processor time by stage. */
  processorSeconds: Record<Stage, Cost>;
  /** Peak resident memory of one process of each app. */
  memoryBytes: Record<'reader' | 'deserializer' | 'indexer', number>;
}

/** Reads the costs of the embedded set from a file of `npm run bench -- indexing`. */
export function embeddedCosts(file: MeasuredFile): EmbeddedCosts {
  const medianOfRuns = (chain: Chain, figure: string): number => {
    const runs = ['figures', chain, 'runs'];
    return medianOf(file.keys(...runs).map((run) => file.positive(...runs, run, figure)));
  };
  const cost = (figure: string): Cost => costOfFile(file, (chain) => medianOfRuns(chain, figure));
  return {
    chain: sizeOf(file, 'recording'),
    diskBytes: cost('diskBytes'),
    processorSeconds: cost('processorSeconds'),
    busiestThreadSeconds: cost('busiestThreadSeconds'),
    memoryBytes: Math.max(...CHAINS.map((chain) => medianOfRuns(chain, 'peakMemoryBytes'))),
  };
}

/** Reads the costs of the suite from a file of `npm run bench -- suite`. */
export function suiteCosts(file: MeasuredFile): SuiteCosts {
  const disk = (chain: Chain, kind: string): number => file.number('figures', chain, 'indices', kind, 'bytes');
  const others = (chain: Chain): number =>
    file
      .keys('figures', chain, 'indices')
      .filter((kind) => !RANGED_KINDS.some((ranged) => ranged === kind) && !PASSING_KINDS.includes(kind))
      .reduce((sum, kind) => sum + disk(chain, kind), 0);
  const memory = (app: string): number =>
    Math.max(...CHAINS.map((chain) => file.number('figures', chain, 'peakMemoryBytes', app)));
  return {
    chain: sizeOf(file, 'recording'),
    diskBytes: {
      ...recordOf(RANGED_KINDS, (kind) => costOfFile(file, (chain) => disk(chain, kind))),
      others: costOfFile(file, others),
    },
    processorSeconds: recordOf(STAGES, (stage) =>
      costOfFile(file, (chain) => file.positive('figures', chain, 'processorSeconds', stage)),
    ),
    memoryBytes: recordOf(['reader', 'deserializer', 'indexer'], memory),
  };
}

/** Reads how many requests per second one processor serves, by request, from a file of `npm run bench -- queries`. */
export function requestRates(file: MeasuredFile): { name: string; perSecond: number }[] {
  return file.keys('figures').map((index) => {
    const runs = ['figures', index, 'service'];
    const processorMs = medianOf(file.keys(...runs).map((run) => file.positive(...runs, run, 'processorMs')));
    return { name: file.text('figures', index, 'name'), perSecond: 1_000 / processorMs };
  });
}

const CHAINS = ['recording', 'onblock'] as const;
type Chain = (typeof CHAINS)[number];

function costOfFile(file: MeasuredFile, total: (chain: Chain) => number): Cost {
  const onblock = { blocks: sizeOf(file, 'onblock').blocks, total: total('onblock') };
  const recording = sizeOf(file, 'recording');
  if (recording.actions === 0) {
    throw new MeasuredFileError('The recording that was measured has no actions besides onblock: measure another one.');
  }
  return costFrom(onblock, { ...recording, total: total('recording') });
}

function sizeOf(file: MeasuredFile, chain: Chain): MeasuredChainSize {
  const contents = ['figures', chain, 'contents'];
  const blocks = file.positive(...contents, 'blocks');
  const traces = file.number(...contents, 'traces');
  return { blocks, actions: Math.max(0, file.positive(...contents, 'actions') - blocks), traces };
}

function recordOf<Key extends string, Value>(keys: readonly Key[], of: (key: Key) => Value): Record<Key, Value> {
  return Object.fromEntries(keys.map((key) => [key, of(key)])) as Record<Key, Value>;
}
