import { utf8ToString, type AbiDecoder, type DecodeAllowance } from '@antelope-history/abi';
import type { JsonWriter } from '@antelope-history/json';
import type { ActionReceipt, ActionRecord, ActionTrace } from '@antelope-history/records';
import { decodeReturnValue, undecodedActBytes, writeInteger64, writeOmittedAct } from '@antelope-history/responses';

/** The transaction and block of a trace, written once for all traces of the transaction. */
export class TraceContext {
  /** The fields of a trace from `trx_id` to `producer_block_id`. */
  readonly fields: string;

  /** `blockTime`: formatted as in JSON. */
  constructor(transactionId: string, blockNum: number, blockId: string, blockTime: string) {
    this.fields =
      `"trx_id":"${transactionId}","block_num":${blockNum},"block_time":"${blockTime}",` +
      `"producer_block_id":"${blockId}"`;
  }
}

/**
 * Writes a trace in the JSON of the history plugin (nodeos abi_serializer.hpp, action_trace). `act` writes the JSON of the
 * action.
 */
export function writeActionTrace(
  out: JsonWriter,
  action: ActionRecord,
  trace: ActionTrace,
  act: (out: JsonWriter) => void,
  context: TraceContext,
  decoder: AbiDecoder | undefined,
  allowance?: DecodeAllowance,
): void {
  const { ordinal, creatorOrdinal, closestUnnotifiedAncestorOrdinal, receiver, except, errorCode } = trace;
  out.raw('{"action_ordinal":').raw(String(ordinal)).raw(',"creator_action_ordinal":').raw(String(creatorOrdinal));
  out.raw(',"closest_unnotified_ancestor_action_ordinal":').raw(String(closestUnnotifiedAncestorOrdinal));
  writeReceipt(out.raw(',"receipt":'), receiver, trace.receipt);
  out.raw(',"receiver":"').raw(receiver).raw('","act":');
  act(out);
  out.raw(action.contextFree ? ',"context_free":true,"elapsed":' : ',"context_free":false,"elapsed":');
  writeInteger64(out, trace.elapsed).raw(',"console":');
  out.string(trace.console.length === 0 ? '' : utf8ToString(trace.console));
  out.raw(',').raw(context.fields).raw(',"account_ram_deltas":');
  out.array(trace.accountRamDeltas, ({ account, delta }) =>
    writeInteger64(out.raw('{"account":"').raw(account).raw('","delta":'), delta).raw('}'),
  );
  out.raw(',"except":');
  if (except === undefined) out.raw('null');
  else out.string(except);
  out.raw(',"error_code":');
  if (errorCode === undefined) out.raw('null');
  else writeInteger64(out, errorCode);
  out.raw(',"return_value_hex_data":').hex(trace.returnValue);
  const returned = decodeReturnValue(action, trace, decoder, allowance);
  if (returned !== undefined) out.raw(',"return_value_data":').value(returned);
  out.raw('}');
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

/** Writes a trace without the fields whose size contracts or senders choose. */
export function writeOmittedTrace(
  out: JsonWriter,
  action: ActionRecord,
  trace: ActionTrace,
  context: TraceContext,
): void {
  const receipt = { ...trace.receipt, authSequence: [] };
  const bare = { ...trace, receipt, console: NO_BYTES, accountRamDeltas: [], except: undefined, returnValue: NO_BYTES };
  writeActionTrace(out, action, bare, () => writeOmittedAct(out, action), context, undefined);
}

function writeReceipt(out: JsonWriter, receiver: string, receipt: ActionReceipt): void {
  out.raw('{"receiver":"').raw(receiver).raw('","act_digest":"').raw(receipt.actDigest);
  writeInteger64(out.raw('","global_sequence":'), receipt.globalSequence);
  writeInteger64(out.raw(',"recv_sequence":'), receipt.recvSequence).raw(',"auth_sequence":');
  out.array(receipt.authSequence, ({ account, sequence }) =>
    writeInteger64(out.raw('["').raw(account).raw('",'), sequence).raw(']'),
  );
  out.raw(',"code_sequence":').raw(String(receipt.codeSequence));
  out.raw(',"abi_sequence":').raw(String(receipt.abiSequence)).raw('}');
}
