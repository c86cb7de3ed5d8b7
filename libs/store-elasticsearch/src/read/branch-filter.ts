import type { Query } from '../client/search';
import type { BlockRange } from '../indices/block-ranges';
import type { ProgressDocument } from '../indices/documents';

/** The blocks whose history is stored; undefined while there are none. Lower blocks are being deleted. */
export function historyBlocks(progress: ProgressDocument): BlockRange | undefined {
  const { first_block_num: first, committed } = progress;
  return first === undefined || !committed ? undefined : { first, last: committed.num };
}

/** The blocks from which ABIs and permissions are read. They begin at 0, because the state of a snapshot precedes the history. */
export function stateBlocks(progress: ProgressDocument): BlockRange {
  return { first: 0, last: progress.committed?.num ?? 0 };
}

/** The intersection of two ranges; undefined when it is empty. */
export function within(range: BlockRange, bounds: BlockRange): BlockRange | undefined {
  const first = Math.max(range.first, bounds.first);
  const last = Math.min(range.last, bounds.last);
  return first > last ? undefined : { first, last };
}

/**
 * Matches the documents of the committed branch's blocks in a range and no others: neither those of orphaned blocks nor those
 * of blocks that are not committed yet.
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
