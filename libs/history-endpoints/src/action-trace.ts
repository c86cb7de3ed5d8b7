import { blockTimestampToString, utf8ToString, type AbiDecoder, type DecodeAllowance } from '@antelope-history/abi';
import { jsonText, type JsonWriter } from '@antelope-history/json';
import { type ActionReceipt, type ActionRecord, type ActionTrace, copyReceipt } from '@antelope-history/records';
import { decodeReturnValue, undecodedActBytes, writeInteger64, writeOmittedAct } from '@antelope-history/responses';

/** The JSON of the block of traces, which is written once for all traces of the block. */
export class BlockContext {
  /** `"block_num":…,"block_time":…` */
  readonly place: Buffer;
  /** `,"producer_block_id":…` */
  readonly id: Buffer;

  constructor(
    readonly blockNum: number,
    readonly blockId: string,
    blockTimestamp: number,
  ) {
    this.place = jsonText(`"block_num":${blockNum},"block_time":"${blockTimestampToString(blockTimestamp)}"`);
    this.id = jsonText(`,"producer_block_id":"${blockId}"`);
  }
}

/** The transaction and block of a trace. */
export interface TraceContext {
  transactionId: string;
  block: BlockContext;
}

/**
 * Writes a trace in the JSON of the history plugin (nodeos abi_serializer.hpp, action_trace). `act` writes the JSON of the
 * action. Called for each trace of a response: an object of its parameters would be made thousands of times.
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
  out.bytes(ACTION_ORDINAL).integer(ordinal).bytes(CREATOR).integer(creatorOrdinal);
  out.bytes(ANCESTOR).integer(closestUnnotifiedAncestorOrdinal);
  writeReceipt(out.bytes(RECEIPT), receiver, trace.receipt);
  out.bytes(RECEIVER).raw(receiver).bytes(ACT);
  act(out);
  writeInteger64(out.bytes(action.contextFree ? CONTEXT_FREE : NOT_CONTEXT_FREE), trace.elapsed).bytes(CONSOLE);
  out.string(trace.console.length === 0 ? '' : utf8ToString(trace.console));
  out.bytes(TRX_ID).raw(context.transactionId).raw('",').bytes(context.block.place).bytes(context.block.id);
  out.bytes(RAM_DELTAS);
  out.array(trace.accountRamDeltas, ({ account, delta }) =>
    writeInteger64(out.bytes(DELTA_ACCOUNT).raw(account).bytes(DELTA), delta).raw('}'),
  );
  out.bytes(EXCEPT);
  if (except === undefined) out.bytes(NULL);
  else out.string(except);
  out.bytes(ERROR_CODE);
  if (errorCode === undefined) out.bytes(NULL);
  else writeInteger64(out, errorCode);
  out.bytes(RETURN_VALUE).hex(trace.returnValue);
  const returned = decodeReturnValue(action, trace, decoder, allowance);
  if (returned !== undefined) out.bytes(RETURN_DATA).value(returned);
  out.raw('}');
}

const ACTION_ORDINAL = jsonText('{"action_ordinal":');
const CREATOR = jsonText(',"creator_action_ordinal":');
const ANCESTOR = jsonText(',"closest_unnotified_ancestor_action_ordinal":');
const RECEIPT = jsonText(',"receipt":');
const RECEIVER = jsonText(',"receiver":"');
const ACT = jsonText('","act":');
const CONTEXT_FREE = jsonText(',"context_free":true,"elapsed":');
const NOT_CONTEXT_FREE = jsonText(',"context_free":false,"elapsed":');
const CONSOLE = jsonText(',"console":');
const TRX_ID = jsonText(',"trx_id":"');
const RAM_DELTAS = jsonText(',"account_ram_deltas":');
const DELTA_ACCOUNT = jsonText('{"account":"');
const DELTA = jsonText('","delta":');
const EXCEPT = jsonText(',"except":');
const ERROR_CODE = jsonText(',"error_code":');
const RETURN_VALUE = jsonText(',"return_value_hex_data":');
const RETURN_DATA = jsonText(',"return_value_data":');
const NULL = jsonText('null');

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
  const receipt = { ...copyReceipt(trace.receipt), authSequence: [] };
  const bare = { ...trace, receipt, console: NO_BYTES, accountRamDeltas: [], except: undefined, returnValue: NO_BYTES };
  writeActionTrace(out, action, bare, () => writeOmittedAct(out, action), context, undefined);
}

function writeReceipt(out: JsonWriter, receiver: string, receipt: ActionReceipt): void {
  out.bytes(RECEIPT_RECEIVER).raw(receiver).bytes(ACT_DIGEST).raw(receipt.actDigest);
  writeInteger64(out.bytes(GLOBAL_SEQUENCE), receipt.globalSequence);
  writeInteger64(out.bytes(RECV_SEQUENCE), receipt.recvSequence).bytes(AUTH_SEQUENCE);
  out.array(receipt.authSequence, ({ account, sequence }) =>
    writeInteger64(out.raw('["').raw(account).raw('",'), sequence).raw(']'),
  );
  out.bytes(CODE_SEQUENCE).integer(receipt.codeSequence);
  out.bytes(ABI_SEQUENCE).integer(receipt.abiSequence).raw('}');
}

const RECEIPT_RECEIVER = jsonText('{"receiver":"');
const ACT_DIGEST = jsonText('","act_digest":"');
const GLOBAL_SEQUENCE = jsonText('","global_sequence":');
const RECV_SEQUENCE = jsonText(',"recv_sequence":');
const AUTH_SEQUENCE = jsonText(',"auth_sequence":');
const CODE_SEQUENCE = jsonText(',"code_sequence":');
const ABI_SEQUENCE = jsonText(',"abi_sequence":');
