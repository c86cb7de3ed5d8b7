import { deserializeBlock } from '@antelope-history/deserialize';
import { type ActionRecord, type BlockRecords, copyReceipt, decodeActionRecord } from '@antelope-history/records';
import { createShipProtocol } from '@antelope-history/ship';
import type { Recording } from '@antelope-history/test-support/recordings';
import { packAction, type ProvableBlock, provableRecords, type ProvableTransaction } from '../src/index';

/** Every block of a recording, orphaned blocks included. */
export function provableBlocks(recording: Recording): ProvableBlock[] {
  return recordsOf(recording).flatMap((records) => provableRecords(records) ?? []);
}

/** A block whose actions are decoded, so that a test can alter them. */
export interface DecodedBlock extends Omit<ProvableBlock, 'transactions'> {
  transactions: DecodedTransaction[];
}

export interface DecodedTransaction extends Omit<ProvableTransaction, 'actions'> {
  actions: ActionRecord[];
}

export function decodedBlocks(recording: Recording): DecodedBlock[] {
  return recordsOf(recording).flatMap((records) => {
    const block = provableRecords(records);
    if (!block) return [];
    const transactions = records.transactions.map(({ firstSequence, actions }, index) => ({
      ...(block.transactions[index] as ProvableTransaction),
      actions: actions.map(({ bytes }) => withOwnReceipts(decodeActionRecord(bytes, firstSequence))),
    }));
    return { ...block, transactions };
  });
}

/** Receipts that can be altered: decoded ones read their fields from the record. */
function withOwnReceipts(action: ActionRecord): ActionRecord {
  return { ...action, traces: action.traces.map((trace) => ({ ...trace, receipt: copyReceipt(trace.receipt) })) };
}

export function packBlock(block: DecodedBlock): ProvableBlock {
  const transactions = block.transactions.map((each) => ({ ...each, actions: each.actions.map(packAction) }));
  return { ...block, transactions };
}

function recordsOf({ abi, messages }: Recording): BlockRecords[] {
  const protocol = createShipProtocol(abi);
  return messages.flatMap(({ bytes }) => {
    const result = protocol.readResult(bytes);
    if (result.kind !== 'blocks' || !result.blocks.thisBlock) return [];
    return deserializeBlock(result.blocks, protocol);
  });
}
