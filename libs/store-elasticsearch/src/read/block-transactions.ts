import { decodeActionRecord, type TransactionHeader } from '@antelope-history/records';
import type { StoredBlockTransaction } from '@antelope-history/store';
import type { FoundRecord } from '../indices/hits';
import { assertWhole } from './action-reader';

/**
 * The transactions of a block, in their order, with their actions. `records`: those of the block, ascending. The sequences of a
 * transaction follow each other, and no other transaction has them. Throws `STORE_UNAVAILABLE` when an action is missing.
 */
export function transactionsWith(
  records: readonly FoundRecord[],
  headers: readonly TransactionHeader[],
): StoredBlockTransaction[] {
  const transactions = headers.map((record): StoredBlockTransaction => ({ record, actions: [] }));
  let next = 0;
  for (const { record: header, actions } of transactions.toSorted(bySequence)) {
    const end = header.firstSequence + header.sequenceCount;
    for (let found = records[next]; found && found.sequence < end; found = records[++next]) {
      if (found.sequence < header.firstSequence) continue;
      actions.push(decodeActionRecord(found.record, header.firstSequence));
    }
  }
  for (const { record, actions } of transactions) assertWhole(record, actions);
  return transactions;
}

function bySequence({ record: one }: StoredBlockTransaction, { record: other }: StoredBlockTransaction): number {
  return one.firstSequence - other.firstSequence;
}
