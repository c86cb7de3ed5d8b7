import type { Search, Searcher } from '../client/search';
import type { ProgressDocument } from '../indices/documents';
import { countRanges, type IndexNames, type RangedKind, type SingleKind } from '../indices/index-names';
import { historyBlocks } from './branch-filter';

/** What a query reads: the branch that was committed when it began. Its documents stay as they are meanwhile. */
export interface Snapshot {
  searcher: Searcher;
  names: IndexNames;
  progress: ProgressDocument;
}

/** Where the whole history is, of a kind. */
export function wholeHistory({ names, progress }: Snapshot, kind: RangedKind): Pick<Search, 'index' | 'fewest'> {
  const blocks = historyBlocks(progress);
  return { index: names.of(kind), fewest: blocks ? countRanges(blocks, progress.blocks_per_index) : 0 };
}

/** Where a kind is that is of no range; it is made before anything is committed. */
export function wholeState({ names, progress }: Snapshot, kind: SingleKind): Pick<Search, 'index' | 'fewest'> {
  return { index: names.of(kind), fewest: progress.committed ? 1 : 0 };
}
