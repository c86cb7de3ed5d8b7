import { ByteReader, readName } from '@antelope-history/abi';
import { HistoryError } from '@antelope-history/schemas';
import type { ActionTraceView } from '@antelope-history/ship';
import type { RecordWriter } from './record-writer';

/** The readable form of an action record: one action with the traces of all that received it. */
export interface ActionRecord {
  account: string;
  name: string;
  authorization: PermissionLevel[];
  data: Buffer;
  contextFree: boolean;
  /** The contract's own trace first, then one per notified account in ordinal order. */
  traces: ActionTrace[];
}

export interface PermissionLevel {
  actor: string;
  permission: string;
}

/** What is of one receiver's own in an action. */
export interface ActionTrace {
  ordinal: number;
  creatorOrdinal: number;
  closestUnnotifiedAncestorOrdinal: number;
  receiver: string;
  receipt: ActionReceipt;
  /** Microseconds; 0 on most nodes. */
  elapsed: bigint;
  /** Raw bytes: a contract prints what it likes, UTF-8 or not. */
  console: Buffer;
  accountRamDeltas: { account: string; delta: bigint }[];
  except: string | undefined;
  errorCode: bigint | undefined;
  returnValue: Buffer;
}

export interface ActionReceipt {
  /** 64 lowercase hex digits. */
  actDigest: string;
  globalSequence: number;
  recvSequence: bigint;
  authSequence: { account: string; sequence: bigint }[];
  codeSequence: number;
  abiSequence: number;
}

/*
 * The packed form, all integers little endian:
 *   flags u8 (CONTEXT_FREE) | account 8 | name 8 | authorization: varuint n, n × (actor 8, permission 8)
 *   | data: varuint length, bytes | varuint traces
 *   per trace: flags u8 | varuint ordinal, creator, closest ancestor | receiver 8
 *   | varuint global_sequence - first sequence of the transaction | recv_sequence u64 | act_digest 32 unless SAME_DIGEST
 *   | auth_sequence: varuint n, n × (account 8, u64) | varuint code_sequence, abi_sequence
 *   | then what the flags announce: elapsed i64, console, ram deltas (varuint n, n × (account 8, i64)), except,
 *     error_code u64, return_value
 * Arrays are copied as SHiP packs them.
 */
const CONTEXT_FREE = 1;

const HAS_ELAPSED = 1;
const HAS_CONSOLE = 2;
const HAS_RAM_DELTAS = 4;
const HAS_EXCEPT = 8;
const HAS_ERROR_CODE = 16;
const HAS_RETURN_VALUE = 32;
const SAME_DIGEST = 64;

/** A trace with what the deserializer worked out about it. */
export interface PlacedTrace {
  view: ActionTraceView;
  closestUnnotifiedAncestorOrdinal: number;
}

/**
 * Appends the packed record of one action to `writer`: `traces` holds the contract's own trace, then those of the
 * notified accounts. `source` are the bytes that the views point into; every view has a receipt.
 */
export function encodeActionRecord(
  writer: RecordWriter,
  source: Buffer,
  traces: readonly PlacedTrace[],
  firstSequence: number,
): void {
  const own = (traces[0] as PlacedTrace).view;
  writer.uint8(own.contextFree ? CONTEXT_FREE : 0);
  writer.copy(source, own.accountAt, own.accountAt + 8);
  writer.copy(source, own.nameAt, own.nameAt + 8);
  writer.copy(source, own.authorizationAt, own.authorizationEnd);
  writer.lengthPrefixed(source, own.dataAt, own.dataEnd);
  writer.varuint(traces.length);
  for (const trace of traces) encodeTrace(writer, source, trace, own, firstSequence);
}

function encodeTrace(
  writer: RecordWriter,
  source: Buffer,
  trace: PlacedTrace,
  own: ActionTraceView,
  firstSequence: number,
): void {
  const { view } = trace;
  const flags = traceFlags(source, view, own);
  writer.uint8(flags);
  writer.varuint(view.ordinal);
  writer.varuint(view.creatorOrdinal);
  writer.varuint(trace.closestUnnotifiedAncestorOrdinal);
  writer.copy(source, view.receiverAt, view.receiverAt + 8);
  writer.varuint(view.globalSequence - firstSequence);
  writer.copy(source, view.recvSequenceAt, view.recvSequenceAt + 8);
  if (!(flags & SAME_DIGEST)) writer.copy(source, view.actDigestAt, view.actDigestAt + 32);
  writer.copy(source, view.authSequenceAt, view.authSequenceEnd);
  writer.varuint(view.codeSequence);
  writer.varuint(view.abiSequence);
  if (flags & HAS_ELAPSED) writer.copy(source, view.elapsedAt, view.elapsedAt + 8);
  if (flags & HAS_CONSOLE) writer.lengthPrefixed(source, view.consoleAt, view.consoleEnd);
  if (flags & HAS_RAM_DELTAS) writer.copy(source, view.ramDeltasAt, view.ramDeltasEnd);
  if (flags & HAS_EXCEPT) writer.lengthPrefixed(source, view.exceptAt, view.exceptEnd);
  if (flags & HAS_ERROR_CODE) writer.copy(source, view.errorCodeAt, view.errorCodeAt + 8);
  if (flags & HAS_RETURN_VALUE) writer.lengthPrefixed(source, view.returnValueAt, view.returnValueEnd);
}

function traceFlags(source: Buffer, view: ActionTraceView, own: ActionTraceView): number {
  let flags = 0;
  for (let index = 0; index < 8; index++) {
    if (source[view.elapsedAt + index] !== 0) {
      flags |= HAS_ELAPSED;
      break;
    }
  }
  if (view.consoleEnd > view.consoleAt) flags |= HAS_CONSOLE;
  if (source[view.ramDeltasAt] !== 0) flags |= HAS_RAM_DELTAS;
  if (view.exceptAt >= 0) flags |= HAS_EXCEPT;
  if (view.errorCodeAt >= 0) flags |= HAS_ERROR_CODE;
  if (view.returnValueEnd > view.returnValueAt) flags |= HAS_RETURN_VALUE;
  if (view !== own && equalBytes(source, view.actDigestAt, own.actDigestAt, 32)) flags |= SAME_DIGEST;
  return flags;
}

function equalBytes(source: Buffer, left: number, right: number, length: number): boolean {
  for (let index = 0; index < length; index++) if (source[left + index] !== source[right + index]) return false;
  return true;
}

/** Reads a packed record back. Throws `DECODE_FAILED` on bytes that are none. */
export function decodeActionRecord(bytes: Buffer, firstSequence: number): ActionRecord {
  const reader = new ByteReader(bytes);
  const flags = reader.uint8();
  const account = reader.name();
  const name = reader.name();
  const authorization = readPairs(reader, (actor, permission) => ({ actor, permission: readName(bytes, permission) }));
  const data = reader.lengthPrefixed();
  const count = reader.varuint32();
  const traces: ActionTrace[] = [];
  for (let index = 0; index < count; index++) {
    traces.push(decodeTrace(reader, firstSequence, traces[0]?.receipt.actDigest ?? ''));
  }
  if (reader.remaining() > 0) throw new HistoryError('DECODE_FAILED', 'bytes remain after an action record');
  return { account, name, authorization, data, contextFree: (flags & CONTEXT_FREE) !== 0, traces };
}

function decodeTrace(reader: ByteReader, firstSequence: number, ownDigest: string): ActionTrace {
  const flags = reader.uint8();
  const ordinal = reader.varuint32();
  const creatorOrdinal = reader.varuint32();
  const closestUnnotifiedAncestorOrdinal = reader.varuint32();
  const receiver = reader.name();
  const globalSequence = firstSequence + readVaruint(reader);
  const recvSequence = reader.uint64();
  const actDigest = flags & SAME_DIGEST ? ownDigest : reader.slice(32).toString('hex');
  const authSequence = readPairs(reader, (actor, at) => ({
    account: actor,
    sequence: reader.bytes.readBigUInt64LE(at),
  }));
  const codeSequence = reader.varuint32();
  const abiSequence = reader.varuint32();
  return {
    ordinal,
    creatorOrdinal,
    closestUnnotifiedAncestorOrdinal,
    receiver,
    receipt: { actDigest, globalSequence, recvSequence, authSequence, codeSequence, abiSequence },
    elapsed: flags & HAS_ELAPSED ? reader.int64() : 0n,
    console: flags & HAS_CONSOLE ? reader.lengthPrefixed() : EMPTY,
    accountRamDeltas:
      flags & HAS_RAM_DELTAS
        ? readPairs(reader, (actor, at) => ({ account: actor, delta: reader.bytes.readBigInt64LE(at) }))
        : [],
    except: flags & HAS_EXCEPT ? reader.lengthPrefixed().toString('utf8') : undefined,
    errorCode: flags & HAS_ERROR_CODE ? reader.uint64() : undefined,
    returnValue: flags & HAS_RETURN_VALUE ? reader.lengthPrefixed() : EMPTY,
  };
}

const EMPTY = Buffer.alloc(0);

/** Reads an array of a name and a second 64-bit field, whose offset `make` is given. */
function readPairs<T>(reader: ByteReader, make: (first: string, secondAt: number) => T): T[] {
  const count = reader.varuint32();
  const pairs: T[] = [];
  for (let index = 0; index < count; index++) {
    const first = reader.name();
    const secondAt = reader.offset;
    reader.skip(8);
    pairs.push(make(first, secondAt));
  }
  return pairs;
}

/** Reads what `RecordWriter.varuint` wrote: up to 2^53 - 1. Throws `DECODE_FAILED` on more. */
export function readVaruint(reader: ByteReader): number {
  let value = 0;
  for (let scale = 1; scale <= 2 ** 49; scale *= 0x80) {
    const byte = reader.uint8();
    value += (byte & 0x7f) * scale;
    if (value > Number.MAX_SAFE_INTEGER) break;
    if (byte < 0x80) return value;
  }
  throw new HistoryError('DECODE_FAILED', 'a number beyond 2^53 - 1');
}
