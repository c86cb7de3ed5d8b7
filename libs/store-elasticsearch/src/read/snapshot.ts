import type { Search, Searcher } from '../client/search';
import type { ProgressDocument } from '../indices/documents';
import { countRanges, type IndexNames, type RangedKind, type SingleKind } from '../indices/index-names';
import { historyBlocks } from './branch-filter';

/** The state that a query reads: the branch that was committed when it began. Its documents do not change meanwhile. */
export interface Snapshot {
  searcher: Searcher;
  names: IndexNames;
  progress: ProgressDocument;
}

/** The index and least index count for a search of the whole history. */
export function wholeHistory({ names, progress }: Snapshot, kind: RangedKind): Pick<Search, 'index' | 'fewest'> {
  const blocks = historyBlocks(progress);
  return { index: names.of(kind), fewest: blocks ? countRanges(blocks, progress.blocks_per_index) : 0 };
}

/** The index and least index count of a single-index kind; it exists before the first commit. */
export function wholeState({ names, progress }: Snapshot, kind: SingleKind): Pick<Search, 'index' | 'fewest'> {
  return { index: names.of(kind), fewest: progress.committed ? 1 : 0 };
}
