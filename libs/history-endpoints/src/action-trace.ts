import { utf8ToString, type AbiDecoder, type DecodeAllowance } from '@antelope-history/abi';
import { writeArray, writeHex, writeString } from '@antelope-history/json';
import type { ActionReceipt, ActionRecord, ActionTrace } from '@antelope-history/records';
import { undecodedActBytes, writeInteger64, writeOmittedAct, writeReturnValue } from '@antelope-history/responses';

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

/** Writes a trace in the JSON of the history plugin (nodeos abi_serializer.hpp, action_trace). `act`: the JSON of the action. */
export function writeActionTrace(
  action: ActionRecord,
  trace: ActionTrace,
  act: string,
  context: TraceContext,
  decoder: AbiDecoder | undefined,
  allowance?: DecodeAllowance,
): string {
  const { ordinal, creatorOrdinal, closestUnnotifiedAncestorOrdinal, receiver, errorCode } = trace;
  const returned = writeReturnValue(action, trace, decoder, allowance);
  return (
    `{"action_ordinal":${ordinal},"creator_action_ordinal":${creatorOrdinal},` +
    `"closest_unnotified_ancestor_action_ordinal":${closestUnnotifiedAncestorOrdinal},` +
    `"receipt":${writeReceipt(receiver, trace.receipt)},"receiver":"${receiver}","act":${act},` +
    `"context_free":${action.contextFree},"elapsed":${writeInteger64(trace.elapsed)},` +
    `"console":${writeConsole(trace.console)},${context.fields},` +
    `"account_ram_deltas":${writeArray(trace.accountRamDeltas, writeRamDelta)},` +
    `"except":${trace.except === undefined ? 'null' : writeString(trace.except)},` +
    `"error_code":${errorCode === undefined ? 'null' : writeInteger64(errorCode)},` +
    `"return_value_hex_data":${writeHex(trace.returnValue)}` +
    (returned === undefined ? '}' : `,"return_value_data":${returned}}`)
  );
}

function writeConsole(console: Buffer): string {
  return console.length === 0 ? '""' : writeString(utf8ToString(console));
}

function writeRamDelta({ account, delta }: ActionTrace['accountRamDeltas'][number]): string {
  return `{"account":"${account}","delta":${writeInteger64(delta)}}`;
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
export function writeOmittedTrace(action: ActionRecord, trace: ActionTrace, context: TraceContext): string {
  const receipt = { ...trace.receipt, authSequence: [] };
  const bare = { ...trace, receipt, console: NO_BYTES, accountRamDeltas: [], except: undefined, returnValue: NO_BYTES };
  return writeActionTrace(action, bare, writeOmittedAct(action), context, undefined);
}

function writeReceipt(receiver: string, receipt: ActionReceipt): string {
  return (
    `{"receiver":"${receiver}","act_digest":"${receipt.actDigest}",` +
    `"global_sequence":${writeInteger64(receipt.globalSequence)},` +
    `"recv_sequence":${writeInteger64(receipt.recvSequence)},` +
    `"auth_sequence":${writeArray(receipt.authSequence, writeAuthSequence)},` +
    `"code_sequence":${receipt.codeSequence},"abi_sequence":${receipt.abiSequence}}`
  );
}

function writeAuthSequence({ account, sequence }: ActionReceipt['authSequence'][number]): string {
  return `["${account}",${writeInteger64(sequence)}]`;
}
