import { inflateSync } from 'node:zlib';
import type { AbiDecoder } from '@antelope-history/abi';
import type { JsonObject, JsonValue } from '@antelope-history/json';
import { shownData, type ActionPosition } from './abi-history';
import { actionTraces, executedTraces, fromHex, sequenceOf, type RecordedBlock } from './recorded-block';
import type { RecordedChain } from './recorded-chain';
import type {
  ShipAct,
  ShipActionTrace,
  ShipPackedTransaction,
  ShipSignedBlock,
  ShipTransaction,
  ShipTransactionHeader,
  ShipTransactionTrace,
} from './ship-types';

/**
 * The expected responses, built from the recorded messages by simple code that shares only the ABI decoder with the
 * service. They are the reference where no response of a node was recorded.
 */

/** `action_trace` of the history endpoints. `traces` has all traces of the transaction in the order of their ordinals. */
export function actionTraceJson(
  chain: RecordedChain,
  block: RecordedBlock,
  transactionId: string,
  traces: readonly ShipActionTrace[],
  trace: ShipActionTrace,
): JsonObject {
  const decoder = chain.abis.inForce(trace.act.account, positionOf(block, trace));
  const returnValue = trace.return_value ?? '';
  const returned = returnValue === '' ? undefined : decoder?.decodeActionResult(trace.act.name, fromHex(returnValue));
  return {
    action_ordinal: trace.action_ordinal,
    creator_action_ordinal: trace.creator_action_ordinal,
    closest_unnotified_ancestor_action_ordinal: closestUnnotifiedAncestor(traces, trace),
    receipt: receiptJson(trace),
    receiver: trace.receiver,
    act: actJson(trace.act, decoder),
    context_free: trace.context_free !== 0,
    elapsed: trace.elapsed,
    console: trace.console,
    trx_id: transactionId,
    block_num: block.num,
    block_time: signedBlock(block).timestamp,
    producer_block_id: block.id,
    account_ram_deltas: trace.account_ram_deltas,
    except: trace.except,
    error_code: trace.error_code,
    return_value_hex_data: returnValue,
    ...(returned !== undefined && { return_value_data: returned }),
  };
}

/** Whether a trace is a notification: another trace created it, and its receiver is not the contract. */
export function isNotification(trace: Pick<ShipActionTrace, 'creator_action_ordinal' | 'receiver' | 'act'>): boolean {
  return trace.creator_action_ordinal !== 0 && trace.receiver !== trace.act.account;
}

/** The ordinal of the nearest creator that is not a notification; 0 for a root action. */
function closestUnnotifiedAncestor(traces: readonly ShipActionTrace[], trace: ShipActionTrace): number {
  let creator = traces[trace.creator_action_ordinal - 1];
  while (creator && isNotification(creator)) creator = traces[creator.creator_action_ordinal - 1];
  return creator?.action_ordinal ?? 0;
}

function receiptJson({ receipt }: ShipActionTrace): JsonValue {
  if (!receipt) return null;
  const { auth_sequence, ...rest } = receipt[1];
  const { code_sequence, abi_sequence, ...first } = rest;
  return {
    ...first,
    auth_sequence: auth_sequence.map(({ account, sequence }) => [account, sequence]),
    code_sequence,
    abi_sequence,
  };
}

function actJson({ account, name, authorization, data }: ShipAct, decoder: AbiDecoder | undefined): JsonObject {
  return {
    account,
    name,
    authorization: authorization.map(({ actor, permission }) => ({ actor, permission })),
    data: shownData(decoder, name, data),
    hex_data: data,
  };
}

function positionOf({ num }: RecordedBlock, trace: ShipActionTrace): ActionPosition {
  return { blockNum: num, sequence: sequenceOf(trace) };
}

function signedBlock({ num, block }: RecordedBlock): ShipSignedBlock {
  if (!block) throw new Error(`block ${num} was not recorded`);
  return block;
}

/** The response of `get_transaction`. */
export function transactionJson(chain: RecordedChain, block: RecordedBlock, trace: ShipTransactionTrace): JsonObject {
  const traces = actionTraces(trace);
  return {
    id: trace.id,
    trx: trxJson(chain, block, trace),
    block_time: signedBlock(block).timestamp,
    block_num: block.num,
    last_irreversible_block: chain.lastIrreversible.block_num,
    traces: bySequence(traces).map((each) => actionTraceJson(chain, block, trace.id, traces, each)),
  };
}

const bySequence = (traces: readonly ShipActionTrace[]): ShipActionTrace[] =>
  traces.toSorted((left, right) => sequenceOf(left) - sequenceOf(right));

type Receipt = ShipSignedBlock['transactions'][number];

const STATUSES = ['executed', 'soft_fail', 'hard_fail', 'delayed', 'expired'];

function statusText({ status }: { status: number }): string {
  return STATUSES[status] ?? '';
}

/** The receipt of a trace. Receipts and traces have the same order, except that the trace of `onblock` has no receipt. */
function receiptOf(block: RecordedBlock, trace: ShipTransactionTrace): Receipt | undefined {
  const { transactions } = signedBlock(block);
  return transactions[block.traces.indexOf(trace) - (block.traces.length - transactions.length)];
}

function trxJson(chain: RecordedChain, block: RecordedBlock, trace: ShipTransactionTrace): JsonValue {
  const receipt = receiptOf(block, trace);
  if (!receipt) return null;
  const { cpu_usage_us, net_usage_words, trx } = receipt;
  const header = { status: statusText(receipt), cpu_usage_us, net_usage_words };
  // The receipt of a failed deferred transaction has its id; the trace is that of the onerror that handled it.
  if (trx[0] === 'transaction_id') return trx[1] === trace.id ? { receipt: { ...header, trx: [0, trx[1]] } } : null;
  const transaction = unpack(chain, trx[1]);
  const roots = actionTraces(trace).filter(({ creator_action_ordinal }) => creator_action_ordinal === 0);
  const shownAct = (act: ShipAct, index: number): JsonObject =>
    actJson(act, chain.abis.inForce(act.account, positionOf(block, roots[index] as ShipActionTrace)));
  const free = transaction.context_free_actions;
  return {
    receipt: { ...header, trx: [1, packedJson(trx[1])] },
    trx: {
      ...headerJson(transaction),
      context_free_actions: free.map(shownAct),
      actions: transaction.actions.map((act, index) => shownAct(act, free.length + index)),
      transaction_extensions: transaction.transaction_extensions.map(({ type, data }) => [type, data]),
      signatures: trx[1].signatures,
      context_free_data: contextFreeData(chain, trx[1]),
    },
  };
}

function packedJson(packed: ShipPackedTransaction): JsonObject {
  const { signatures, compression, packed_context_free_data, packed_trx } = packed;
  return { signatures, compression: compression === 0 ? 'none' : 'zlib', packed_context_free_data, packed_trx };
}

function unpack(chain: RecordedChain, packed: ShipPackedTransaction): ShipTransaction {
  return chain.decode('transaction', inflated(packed, packed.packed_trx));
}

function contextFreeData(chain: RecordedChain, packed: ShipPackedTransaction): string[] {
  const bytes = inflated(packed, packed.packed_context_free_data);
  return bytes.length === 0 ? [] : chain.decode('bytes[]', bytes);
}

function inflated({ compression }: ShipPackedTransaction, hex: string): Buffer {
  const bytes = fromHex(hex);
  return compression === 0 || bytes.length === 0 ? bytes : inflateSync(bytes);
}

function headerJson(header: ShipTransactionHeader): JsonObject {
  const { expiration, ref_block_num, ref_block_prefix, max_net_usage_words, max_cpu_usage_ms, delay_sec } = header;
  return { expiration, ref_block_num, ref_block_prefix, max_net_usage_words, max_cpu_usage_ms, delay_sec };
}

/** The response of `trace_api/get_block`. */
export function traceBlockJson(chain: RecordedChain, block: RecordedBlock): JsonObject {
  const signed = signedBlock(block);
  return {
    id: block.id,
    number: block.num,
    previous_id: signed.previous,
    status: block.num <= chain.lastIrreversible.block_num ? 'irreversible' : 'pending',
    timestamp: `${signed.timestamp}Z`,
    producer: signed.producer,
    transaction_mroot: signed.transaction_mroot,
    action_mroot: signed.action_mroot,
    schedule_version: signed.schedule_version,
    transactions: executedTraces(block).map((trace) => tracedTransactionJson(chain, block, trace)),
  };
}

function tracedTransactionJson(chain: RecordedChain, block: RecordedBlock, trace: ShipTransactionTrace): JsonObject {
  const { cpu_usage_us, net_usage_words, ...receipt } = receiptOf(block, trace) ?? trace;
  // The id, header and signatures of a failed deferred transaction are in its own trace, inside the trace of onerror.
  const shown = trace.failed_dtrx_trace?.[1] ?? trace;
  return {
    id: shown.id,
    ...(!chain.isEosio20 && {
      block_num: block.num,
      block_time: signedBlock(block).timestamp,
      producer_block_id: block.id,
    }),
    actions: bySequence(actionTraces(trace))
      .filter(({ context_free }) => context_free === 0)
      .map((action) => tracedActionJson(chain, block, action)),
    status: statusText(receipt),
    cpu_usage_us,
    net_usage_words,
    ...signedHeaderJson(chain, shown, receiptOf(block, trace)),
  };
}

function signedHeaderJson(chain: RecordedChain, shown: ShipTransactionTrace, receipt: Receipt | undefined): JsonObject {
  if (receipt?.trx[0] === 'packed_transaction') {
    const packed = receipt.trx[1];
    return { signatures: packed.signatures, transaction_header: headerJson(unpack(chain, packed)) };
  }
  if (!shown.partial) throw new Error(`the trace of transaction ${shown.id} has no header`);
  const [, partial] = shown.partial;
  return { signatures: partial.signatures, transaction_header: headerJson(partial) };
}

function tracedActionJson(chain: RecordedChain, block: RecordedBlock, trace: ShipActionTrace): JsonObject {
  const { account, name, authorization, data } = trace.act;
  const decoder = chain.abis.inForce(account, positionOf(block, trace));
  const returnValue = trace.return_value ?? '';
  const params = decoder?.decodeAction(name, fromHex(data));
  const returned = returnValue === '' ? undefined : decoder?.decodeActionResult(name, fromHex(returnValue));
  return {
    global_sequence: sequenceOf(trace),
    receiver: trace.receiver,
    account,
    action: name,
    authorization: authorization.map(({ actor, permission }) => ({ account: actor, permission })),
    data,
    ...(!chain.isEosio20 && { return_value: returnValue }),
    ...(params !== undefined && { params }),
    ...(returned !== undefined && { return_data: returned }),
  };
}
