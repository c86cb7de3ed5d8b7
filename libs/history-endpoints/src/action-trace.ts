import { utf8ToString, type AbiDecoder, type DecodeAllowance } from '@antelope-history/abi';
import type { ActionReceipt, ActionRecord, ActionTrace } from '@antelope-history/records';
import type { ActionTraceJson } from '@antelope-history/schemas';
import {
  type ActJson,
  decodeReturnValue,
  renderInteger64,
  renderOmittedAct,
  undecodedActBytes,
} from '@antelope-history/responses';

/** The transaction and block of a trace. */
export interface TraceContext {
  transactionId: string;
  blockNum: number;
  blockId: string;
  /** Formatted as in JSON. */
  blockTime: string;
}

/** Renders a trace in the JSON of the history plugin (nodeos abi_serializer.hpp, action_trace). */
export function renderActionTrace(
  action: ActionRecord,
  trace: ActionTrace,
  act: ActJson,
  context: TraceContext,
  decoder: AbiDecoder | undefined,
  allowance?: DecodeAllowance,
): ActionTraceJson {
  const json: ActionTraceJson = {
    action_ordinal: trace.ordinal,
    creator_action_ordinal: trace.creatorOrdinal,
    closest_unnotified_ancestor_action_ordinal: trace.closestUnnotifiedAncestorOrdinal,
    receipt: renderReceipt(trace.receiver, trace.receipt),
    receiver: trace.receiver,
    act,
    context_free: action.contextFree,
    elapsed: renderInteger64(trace.elapsed),
    console: utf8ToString(trace.console),
    trx_id: context.transactionId,
    block_num: context.blockNum,
    block_time: context.blockTime,
    producer_block_id: context.blockId,
    account_ram_deltas: trace.accountRamDeltas.map(({ account, delta }) => ({
      account,
      delta: renderInteger64(delta),
    })),
    except: trace.except ?? null,
    error_code: trace.errorCode === undefined ? null : renderInteger64(trace.errorCode),
    return_value_hex_data: trace.returnValue.toString('hex'),
  };
  const returned = decodeReturnValue(action, trace, decoder, allowance);
  if (returned !== undefined) json.return_value_data = returned;
  return json;
}

/** Bytes of a trace's field names, ids, sequences and numbers. */
const TRACE_FRAME_BYTES = 1024;
/** Bytes of `["",""],` with a name and a 64-bit integer. */
const AUTH_SEQUENCE_BYTES = 40;
/** Bytes of `{"account":"","delta":""},` with a name and a 64-bit integer. */
const RAM_DELTA_BYTES = 60;
/** Bytes of an escaped character such as `\u0001`. */
const ESCAPED_BYTES = 6;

/** Upper bound of the bytes of a trace whose action is undecoded. */
export function undecodedTraceBytes(action: ActionRecord, trace: ActionTrace): number {
  return (
    TRACE_FRAME_BYTES +
    undecodedActBytes(action) +
    AUTH_SEQUENCE_BYTES * trace.receipt.authSequence.length +
    RAM_DELTA_BYTES * trace.accountRamDeltas.length +
    ESCAPED_BYTES * (trace.console.length + (trace.except?.length ?? 0)) +
    2 * trace.returnValue.length
  );
}

const NO_BYTES = Buffer.alloc(0);

/** Renders a trace without the fields whose size contracts or senders choose. */
export function renderOmittedTrace(action: ActionRecord, trace: ActionTrace, context: TraceContext): ActionTraceJson {
  const bare = { ...trace, console: NO_BYTES, accountRamDeltas: [], except: undefined, returnValue: NO_BYTES };
  const json = renderActionTrace(action, bare, renderOmittedAct(action), context, undefined);
  return { ...json, receipt: { ...json.receipt, auth_sequence: [] } };
}

function renderReceipt(receiver: string, receipt: ActionReceipt): ActionTraceJson['receipt'] {
  return {
    receiver,
    act_digest: receipt.actDigest,
    global_sequence: renderInteger64(receipt.globalSequence),
    recv_sequence: renderInteger64(receipt.recvSequence),
    auth_sequence: receipt.authSequence.map(({ account, sequence }) => [account, renderInteger64(sequence)]),
    code_sequence: receipt.codeSequence,
    abi_sequence: receipt.abiSequence,
  };
}
