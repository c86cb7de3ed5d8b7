import type { Search, Searcher } from '../client/search';
import { rangeStarts } from '../indices/block-ranges';
import type { ProgressDocument } from '../indices/documents';
import type { IndexNames, RangedKind, SingleKind } from '../indices/index-names';
import { historyBlocks } from './branch-filter';
import type { QueryCaches } from './query-caches';

/** The state that a query reads: the branch that was committed when it began. Its documents do not change meanwhile. */
export interface QueryState {
  searcher: Searcher;
  names: IndexNames;
  progress: ProgressDocument;
  caches: QueryCaches;
}

/**
 * Returns a function for the milliseconds since now. The larger of two clocks counts: the monotonic clock stands still while
 * the machine is suspended, and the wall clock can be set back.
 */
export function measureAge(): () => number {
  const [start, wallStart] = [performance.now(), Date.now()];
  return () => Math.max(performance.now() - start, Date.now() - wallStart);
}

/**
 * Whether all that a query reads by `before` still exists, now that the progress is `after`: no orphan that `before` lists as
 * part of the branch can be deleted, and no permission version that was the newest one then. Nothing does in another store, nor when a
 * lost index was made anew.
 */
export function isStillReadable(before: ProgressDocument, after: ProgressDocument): boolean {
  if (before.store_id !== after.store_id || before.restorations !== after.restorations) return false;
  const hasForked = before.revision !== after.revision;
  if (hasForked && after.clean_up_to > before.clean_up_to) return false;
  return after.clean_up_to <= (before.committed?.num ?? 0);
}

/**
 * The indices, which have to respond all, for a search of the whole history. They are named one by one: the alias does not report an
 * index that it lost, and may have those of blocks that are not committed yet.
 */
export function historySearch({ names, progress }: QueryState, kind: RangedKind): Pick<Search, 'index' | 'minIndices'> {
  const blocks = historyBlocks(progress);
  if (!blocks) return { index: names.of(kind), minIndices: 0 };
  const starts = rangeStarts(blocks, progress);
  return { index: starts.map((start) => names.ranged(kind, start, progress)).join(','), minIndices: starts.length };
}

/**
 * The index, and the least number of indices that have to respond, of a kind with a single index, which exists before the first
 * commit.
 */
export function singleIndexSearch(
  { names, progress }: QueryState,
  kind: SingleKind,
): Pick<Search, 'index' | 'minIndices'> {
  return { index: names.of(kind), minIndices: progress.committed ? 1 : 0 };
}
