import { type BlockRange, rangeLast, rangeStarts } from '../indices/block-ranges';
import type { QueryState } from './query-state';

/** How many times as many ranges a group has as the one before it. */
const GROWTH = 4;

/** The parts of the ranges that have some of the blocks, ascending. */
export function rangesIn({ first, last }: BlockRange, { progress }: Pick<QueryState, 'progress'>): BlockRange[] {
  return rangeStarts({ first, last }, progress).map((start) => ({
    first: Math.max(start, first),
    last: Math.min(rangeLast(start, progress), last),
  }));
}

/**
 * The ranges in groups to be searched one after another until one has what is searched: `first` ranges, then `GROWTH` times as many each
 * time.
 */
export function* growingGroups(ranges: readonly BlockRange[], first: number): Generator<readonly BlockRange[]> {
  let size = first;
  for (let start = 0; start < ranges.length;) {
    yield ranges.slice(start, start + size);
    start += size;
    size *= GROWTH;
  }
}
