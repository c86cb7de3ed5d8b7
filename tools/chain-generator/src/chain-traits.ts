import type { Random } from '@antelope-history/test-support/random';

/** What one seed's chain is like. */
export interface ChainTraits {
  /** About how many blocks it has before it runs out. */
  blocks: number;
  /** `everything`: every block has all kinds of changes; `sparse`: most blocks have few, and many none. */
  texture: 'everything' | 'sparse';
  /** Distance of the last irreversible block to the head, which bounds the depth of forks. */
  lag: number;
  /** Of the draws for the next blocks, how many begin a fork. */
  forkPercent: number;
  isSnapshot: boolean;
  /** Number of the first block before a snapshot. */
  snapshotNum: number;
  isSavanna: boolean;
  hasHugeBlocks: boolean;
  /** Blocks of a fork at the end, while the last irreversible block stands still; 0 = none. */
  deepFork: number;
  /** Global sequence before the first action; near 2^32 nodes begin to print it as text. */
  firstSequence: number;
  /** Nodes with all logs. */
  nodes: number;
  /** A further node that lacks a log. */
  without: 'traces' | 'deltas' | undefined;
}

const SEQUENCES = [0, 4_294_967_200, 353_566_913_653];
const DEEP_FORK = 2_100;

export function drawTraits(random: Random): ChainTraits {
  const isSavanna = random(5) === 0;
  return {
    blocks: 40 + random(80),
    texture: random(3) === 0 ? 'everything' : 'sparse',
    lag: [2, 4, 8, 15, 30][random(5)] as number,
    forkPercent: [0, 10, 20, 30][random(4)] as number,
    // A node that follows Savanna from its first block has been started from a snapshot.
    isSnapshot: isSavanna || random(4) === 0,
    snapshotNum: 1 + random(300),
    isSavanna,
    hasHugeBlocks: random(3) === 0,
    deepFork: random(50) === 0 ? DEEP_FORK : 0,
    firstSequence: SEQUENCES[random(SEQUENCES.length)] as number,
    nodes: 1 + random(3),
    without: random(4) > 0 ? undefined : random(2) ? 'traces' : 'deltas',
  };
}
