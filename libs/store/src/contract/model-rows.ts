import { decodeActionRecord, type BlockRecords } from '@antelope-history/records';
import type { StoredAction, StoredTransaction } from '../stored';

/** What a store returns for a block, derived directly from the block's records. */

const transactions = new WeakMap<BlockRecords, StoredTransaction[]>();
const actions = new WeakMap<BlockRecords, StoredAction[]>();

/** The transactions of a block, in its order. */
export function storedTransactionsOf(block: BlockRecords): StoredTransaction[] {
  let stored = transactions.get(block);
  if (!stored) transactions.set(block, (stored = makeTransactions(block)));
  return stored;
}

/** The actions of a block, ascending by sequence. */
export function storedActionsOf(block: BlockRecords): StoredAction[] {
  let stored = actions.get(block);
  if (!stored) actions.set(block, (stored = makeActions(block)));
  return stored;
}

/** The sequence by which an action is ordered: that of its contract's receipt. */
export function sequenceOf({ action }: StoredAction): number {
  return action.traces[0]?.receipt.globalSequence ?? 0;
}

function makeTransactions(block: BlockRecords): StoredTransaction[] {
  return block.transactions.map(({ actions: entries, ...record }) => ({
    id: record.id.toString('hex'),
    blockNum: block.position.num,
    blockId: block.position.id,
    blockTimestamp: block.timestamp,
    block: block.block as Buffer,
    receiptIndex: record.receiptIndex,
    record,
    actions: entries.map(({ bytes }) => decodeActionRecord(bytes, record.firstSequence)),
  }));
}

function makeActions(block: BlockRecords): StoredAction[] {
  return storedTransactionsOf(block)
    .flatMap(({ id, blockNum, blockId, blockTimestamp, actions: records }) =>
      records.map((action) => ({ action, transactionId: id, blockNum, blockId, blockTimestamp })),
    )
    .sort((left, right) => sequenceOf(left) - sequenceOf(right));
}
