import type { Query } from '../client/search';
import type { ProgressDocument } from '../indices/documents';

/** Both are part of it. */
export interface BlockRange {
  first: number;
  last: number;
}

/** The blocks whose history is here; undefined while there are none. What is below is being deleted. */
export function historyBlocks(progress: ProgressDocument): BlockRange | undefined {
  const { first_block_num: first, committed } = progress;
  return first === undefined || !committed ? undefined : { first, last: committed.num };
}

/** The blocks of which ABIs and permissions are: a snapshot's state comes before the history. */
export function stateBlocks(progress: ProgressDocument): BlockRange {
  return { first: 0, last: progress.committed?.num ?? 0 };
}

/** The blocks that are of both. */
export function within(range: BlockRange, bounds: BlockRange): BlockRange | undefined {
  const first = Math.max(range.first, bounds.first);
  const last = Math.min(range.last, bounds.last);
  return first > last ? undefined : { first, last };
}

/**
 * Holds for the documents of the committed branch's blocks in a range, and for no others, whatever lies in the index
 * besides: orphans, and what is not committed yet.
 */
export function onBranch({ clean_up_to: cleanUpTo, branch }: ProgressDocument, { first, last }: BlockRange): Query {
  const clean: Query = { range: { block_num: { gte: first, lte: Math.min(last, cleanUpTo) } } };
  if (last <= cleanUpTo) return clean;
  const named: Query = {
    terms: { block: branch.filter(({ num }) => num > cleanUpTo && num >= first && num <= last).map(({ id }) => id) },
  };
  if (first > cleanUpTo) return named;
  return { bool: { should: [clean, named], minimum_should_match: 1 } };
}
