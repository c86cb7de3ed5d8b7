import { type BlockRange, rangeLast, rangeStart, rangeStarts } from './block-ranges';
import type { ProgressDocument } from './documents';
import { type IndexNames, RANGED_KINDS } from './index-names';

/** The progress from before the indices of a range are made anew: its committed blocks are to be restored. */
export function withLostRange(progress: ProgressDocument, blockNum: number): ProgressDocument {
  const { committed, first_block_num: oldest = 0, unrestored = [], restorations = 0 } = progress;
  const first = Math.max(rangeStart(blockNum, progress), oldest);
  const last = Math.min(rangeLast(blockNum, progress), committed?.num ?? -1);
  return {
    ...progress,
    unrestored: [...without(unrestored, { first, last }), { first, last }],
    restorations: restorations + 1,
  };
}

/** The progress when blocks are stored again and searches find them. */
export function withRestored(
  { unrestored, ...progress }: ProgressDocument,
  blockNums: readonly number[],
): ProgressDocument {
  let left = unrestored ?? [];
  for (const num of blockNums) left = without(left, { first: num, last: num });
  return { ...progress, ...(left.length > 0 && { unrestored: left }) };
}

/** The indices of ranges that lack blocks of the history; a query that reads one of them would be of a part. */
export function unrestoredIndices(progress: ProgressDocument, names: IndexNames): ReadonlySet<string> {
  const { unrestored = [], first_block_num: oldest = 0 } = progress;
  const starts = unrestored
    .filter(({ last }) => last >= oldest)
    .flatMap(({ first, last }) => rangeStarts({ first: Math.max(first, oldest), last }, progress));
  return new Set(starts.flatMap((start) => RANGED_KINDS.map((kind) => names.ranged(kind, start, progress))));
}

/** Whether no block of the history between two is to be restored. */
export function isRestored(
  { first, last }: BlockRange,
  { unrestored = [], first_block_num: oldest = 0 }: ProgressDocument,
): boolean {
  return unrestored.every((each) => each.last < Math.max(first, oldest) || each.first > last);
}

function without(blocks: readonly BlockRange[], { first, last }: BlockRange): BlockRange[] {
  return blocks
    .flatMap((each) => [
      { first: each.first, last: Math.min(each.last, first - 1) },
      { first: Math.max(each.first, last + 1), last: each.last },
    ])
    .filter((each) => each.first <= each.last);
}
