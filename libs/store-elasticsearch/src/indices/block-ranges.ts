/*
 * The blocks are divided into ranges. Each has its own indices, so that old ranges can be moved, or dropped, whole. A range begins at
 * each multiple of `blocks_per_index`, and at each of `ranges.starts` between two of them: a committer adds a start when the newest range
 * has as many actions as an index should have.
 *
 * No document is ever in the indices of a range that its block is not part of, however late a process writes it. A process writes only
 * blocks below the `ranges.unwritten_from` of a progress that it has read, and moves that number on first; a start is never added
 * below it. So a start that is added later does not change the range of any block that the process may write.
 */

/** Consecutive blocks by their numbers, both ends included: those of one index, or any others. */
export interface BlockRange {
  first: number;
  last: number;
}

/** What divides the blocks into ranges: a progress has it. */
export interface RangeLayout {
  blocks_per_index: number;
  ranges?: { starts: readonly number[] };
}

/** The first block number of the range that holds a number. */
export function rangeStart(blockNum: number, { blocks_per_index: blocksPerIndex, ranges }: RangeLayout): number {
  const starts = ranges?.starts ?? [];
  return Math.max(blockNum - (blockNum % blocksPerIndex), starts[countUpTo(blockNum, starts) - 1] ?? 0);
}

/** The last block number of the range that holds a number. While blocks of the range are uncommitted, a start can still be added before. */
export function rangeLast(blockNum: number, { blocks_per_index: blocksPerIndex, ranges }: RangeLayout): number {
  const starts = ranges?.starts ?? [];
  const next = blockNum - (blockNum % blocksPerIndex) + blocksPerIndex;
  return Math.min(next, starts[countUpTo(blockNum, starts)] ?? Infinity) - 1;
}

/** The first block numbers of the ranges that hold the blocks from the first to the last, ascending. */
export function rangeStarts({ first, last }: BlockRange, layout: RangeLayout): number[] {
  const starts: number[] = [];
  for (let start = rangeStart(first, layout); start <= last; start = rangeLast(start, layout) + 1) starts.push(start);
  return starts;
}

/** How many of the ascending numbers are at most `most`. */
function countUpTo(most: number, numbers: readonly number[]): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] as number) <= most) low = middle + 1;
    else high = middle;
  }
  return low;
}
