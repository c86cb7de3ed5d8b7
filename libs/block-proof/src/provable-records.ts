import { type BlockRecords, decodeActionRecord } from '@antelope-history/records';
import type { ProvableBlock } from './prove-block';

/** A block of records in the form that `BlockProver` takes; undefined if the node sent no block. */
export function provableRecords(records: BlockRecords): ProvableBlock | undefined {
  const { position, block, hasTraces, actionRoot, transactions } = records;
  if (!block) return undefined;
  return {
    position,
    block,
    hasTraces,
    actionRoot,
    transactions: transactions.map(({ id, receiptIndex, firstSequence, actions }) => ({
      id: id.toString('hex'),
      receiptIndex,
      actions: actions.map(({ bytes }) => decodeActionRecord(bytes, firstSequence)),
    })),
  };
}
