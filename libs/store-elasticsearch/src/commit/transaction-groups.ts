import type { ListedTransaction } from '../indices/block-execution';
import { type DirectoryIdsDocument, ID_DIGITS } from '../indices/directory';
import type { SequenceRange } from '../indices/sequence-range';

/**
 * The most transactions of a group. A query for one of them also reads the actions of the others: more transactions cost time, fewer
 * cost documents.
 */
export const MAX_TRANSACTIONS = 16;
/**
 * The most sequences of a group that a query reads at once. They fit into the first chunk of `readActions`; each may have half a megabyte
 * of data.
 */
export const MAX_SEQUENCES = 64;

/** Groups consecutive transactions of a range into documents of the directory. */
export function* groupTransactions(
  range: number,
  transactions: Iterable<ListedTransaction>,
): Generator<DirectoryIdsDocument> {
  let ids: string[] = [];
  let sequences = NO_SEQUENCES;
  for (const transaction of transactions) {
    let joined = join(sequences, transaction);
    if (ids.length === MAX_TRANSACTIONS || (ids.length > 0 && joined.end - joined.start > MAX_SEQUENCES)) {
      yield documentOf(range, ids, sequences);
      ids = [];
      joined = join(NO_SEQUENCES, transaction);
    }
    ids.push(transaction.id.toString('hex').slice(0, ID_DIGITS));
    sequences = joined;
  }
  if (ids.length > 0) yield documentOf(range, ids, sequences);
}

const NO_SEQUENCES: SequenceRange = { start: Infinity, end: -Infinity };

function join({ start, end }: SequenceRange, { firstSequence, sequenceCount }: ListedTransaction): SequenceRange {
  if (sequenceCount === 0) return { start, end };
  return { start: Math.min(start, firstSequence), end: Math.max(end, firstSequence + sequenceCount) };
}

function documentOf(range: number, ids: string[], { start, end }: SequenceRange): DirectoryIdsDocument {
  const count = end - start;
  if (count <= 0 || count > MAX_SEQUENCES) return { range, ids };
  return { range, ids, first_sequence: start, sequence_count: count };
}
