import type { ProgressDocument } from './documents';
import type { IndexNames } from './index-names';
import type { Searcher } from './search';

/** What a query reads: the branch that was committed when it began. Its documents stay as they are meanwhile. */
export interface Snapshot {
  searcher: Searcher;
  names: IndexNames;
  progress: ProgressDocument;
}
