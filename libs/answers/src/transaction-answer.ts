import { blockTimestampToString, type AbiDecoder } from '@antelope-history/abi';
import type { AbiRequest, ActionRecord, ChainStatus, StoredTransaction } from '@antelope-history/records';
import type { GetTransactionAnswer } from '@antelope-history/schemas';
import {
  readContextFreeData,
  readPackedTransaction,
  readReceipt,
  readTransaction,
  type Action,
  type PackedTransaction,
} from '@antelope-history/ship';
import { AbiRequestSet } from './abi-request-set';
import type { AbiDecoders } from './abi-decoders';
import { renderAct, type ActJson } from './act';
import { ownTrace, renderActionTrace, tracesInOrder, type ActionTraceJson } from './action-trace';
import { renderCompression, renderSignature, renderStatus, renderTransactionHeader, toHex } from './transaction-json';

type TrxJson = NonNullable<GetTransactionAnswer['trx']>;

/** The ABIs that `renderTransaction` needs. */
export function abisOfTransaction(transaction: StoredTransaction): AbiRequest[] {
  const requests = new AbiRequestSet();
  for (const action of transaction.actions) requests.addAction(action, transaction.blockNum);
  return requests.list();
}

/** The answer of `/v1/history/get_transaction`: complete, with every notification as a trace of its own. */
export function renderTransaction(
  transaction: StoredTransaction,
  status: ChainStatus,
  decoders: AbiDecoders,
): GetTransactionAnswer {
  const decoded = transaction.actions.map((action) => decodeAction(action, transaction.blockNum, decoders));
  return {
    id: transaction.id,
    trx: renderTrx(transaction, decoded),
    block_time: blockTimestampToString(transaction.blockTimestamp),
    block_num: transaction.blockNum,
    last_irreversible_block: status.lastIrreversible?.num ?? 0,
    traces: renderTraces(transaction, decoded),
  };
}

/** An action with what the ABI makes of it, which several places of the answer show. */
interface DecodedAction {
  action: ActionRecord;
  act: ActJson;
  decoder: AbiDecoder | undefined;
}

function decodeAction(action: ActionRecord, blockNum: number, decoders: AbiDecoders): DecodedAction {
  const decoder = decoders.at(action.account, blockNum, ownTrace(action).receipt.globalSequence);
  return { action, act: renderAct(action, decoder), decoder };
}

/** The transaction as the block has it; null for one that the block does not name (`onblock`, `onerror`). */
function renderTrx(transaction: StoredTransaction, decoded: DecodedAction[]): TrxJson | null {
  if (transaction.receiptIndex < 0) return null;
  const { transaction: content, ...receipt } = readReceipt(transaction.block, transaction.receiptIndex);
  const header = {
    status: renderStatus(receipt.status),
    cpu_usage_us: receipt.cpuUsageUs,
    net_usage_words: receipt.netUsageWords,
  };
  if ('id' in content) {
    return content.id === transaction.id ? { receipt: { ...header, trx: [0, content.id] } } : null;
  }
  const packed = readPackedTransaction(content.packed);
  return { receipt: { ...header, trx: [1, renderPacked(packed)] }, trx: renderUnpacked(packed, decoded) };
}

function renderPacked(packed: PackedTransaction): Extract<TrxJson['receipt']['trx'], [1, unknown]>[1] {
  return {
    signatures: packed.signatures.map(renderSignature),
    compression: renderCompression(packed.compressed),
    packed_context_free_data: toHex(packed.packedContextFreeData),
    packed_trx: toHex(packed.packedTrx),
  };
}

function renderUnpacked(packed: PackedTransaction, decoded: DecodedAction[]): TrxJson['trx'] {
  const transaction = readTransaction(packed);
  // The actions that a transaction holds have its first ordinals, context-free ones before the others.
  const acts = new Map(decoded.map(({ action, act }) => [ownTrace(action).ordinal, act]));
  const actOf = (action: Action, index: number): ActJson => acts.get(index + 1) ?? renderAct(action, undefined);
  const freeCount = transaction.contextFreeActions.length;
  return {
    ...renderTransactionHeader(transaction),
    context_free_actions: transaction.contextFreeActions.map(actOf),
    actions: transaction.actions.map((action, index) => actOf(action, freeCount + index)),
    transaction_extensions: transaction.extensions.map(({ type, data }) => [type, toHex(data)]),
    signatures: packed.signatures.map(renderSignature),
    context_free_data: readContextFreeData(packed).map(toHex),
  };
}

/** All traces in the order in which they ran. */
function renderTraces(transaction: StoredTransaction, decoded: DecodedAction[]): ActionTraceJson[] {
  const place = {
    transactionId: toHex(transaction.record.id),
    blockNum: transaction.blockNum,
    blockId: transaction.blockId,
    blockTime: blockTimestampToString(transaction.blockTimestamp),
  };
  return tracesInOrder(decoded).map(({ of, trace }) => renderActionTrace(of.action, trace, of.act, place, of.decoder));
}
