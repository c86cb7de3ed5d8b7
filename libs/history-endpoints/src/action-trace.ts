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

/** Where an action ran; every trace repeats it. */
export interface TracePlace {
  transactionId: string;
  blockNum: number;
  blockId: string;
  /** As JSON shows it. */
  blockTime: string;
}

/** The trace in the history plugin's JSON (nodeos abi_serializer.hpp, action_trace). */
export function renderActionTrace(
  action: ActionRecord,
  trace: ActionTrace,
  act: ActJson,
  place: TracePlace,
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
    trx_id: place.transactionId,
    block_num: place.blockNum,
    block_time: place.blockTime,
    producer_block_id: place.blockId,
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

/** Names, ids, sequences and numbers of a trace. */
const TRACE_FRAME_BYTES = 1024;
/** `["",""],` with a name and a 64-bit integer. */
const AUTH_SEQUENCE_BYTES = 40;
/** `{"account":"","delta":""},` with a name and a 64-bit integer. */
const RAM_DELTA_BYTES = 60;
/** A character may print as `\u0001`. */
const ESCAPED_BYTES = 6;

/** The most bytes that a trace takes with its action undecoded. */
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

/** A trace without what contracts and senders choose the size of. */
export function renderOmittedTrace(action: ActionRecord, trace: ActionTrace, place: TracePlace): ActionTraceJson {
  const bare = { ...trace, console: NO_BYTES, accountRamDeltas: [], except: undefined, returnValue: NO_BYTES };
  const json = renderActionTrace(action, bare, renderOmittedAct(action), place, undefined);
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
