import { ByteReader, readName } from '@antelope-history/abi';
import { HistoryError } from '@antelope-history/schemas';
import { ActDigests } from './act-digest';
import { receiptActors } from './receipt-actors';
import { readPairs } from './record-pairs';
import { DerivedReceipt, type RecordReceipt, WholeReceipt } from './record-receipt';

/** The decoded form of an action record: one action with the traces of every account that received it. */
export interface ActionRecord {
  account: string;
  name: string;
  authorization: PermissionLevel[];
  data: Buffer;
  contextFree: boolean;
  /** The contract's own trace first, then one per notified account in ascending order of ordinal. */
  traces: ActionTrace[];
}

export interface PermissionLevel {
  actor: string;
  permission: string;
}

/** The part of an action that differs per receiver. */
export interface ActionTrace {
  ordinal: number;
  creatorOrdinal: number;
  closestUnnotifiedAncestorOrdinal: number;
  receiver: string;
  receipt: ActionReceipt;
  /** Microseconds; 0 on most nodes. */
  elapsed: bigint;
  /** Raw bytes: a contract may print any bytes, valid UTF-8 or not. */
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
 *   flags u8 (`ACTION_FLAGS`) | account 8 | name 8 | authorization: varuint n, n × (actor 8, permission 8)
 *   | data: varuint length, bytes | varuint traces
 *   per trace: flags u8 (`TRACE_FLAGS`) | varuint ordinal, creator ordinal, closest unnotified ancestor ordinal | receiver 8
 *   | varuint global_sequence - first sequence of the transaction | recv_sequence u64 | digest
 *   | auth_sequence: varuint n, n × (account 8, u64) | varuint code_sequence, abi_sequence
 *   | the fields whose flags are set: elapsed i64, console, ram deltas (varuint n, n × (account 8, i64)), except,
 *     error_code u64, return_value
 *   digest: act_digest 32, unless `sameDigest`; the first DIGEST_CHECK_BYTES of it if `computedDigest`
 * With `derivedReceipts`, the contract's own trace has instead, between its flags and the other fields,
 *   varuint ordinal, creator ordinal, closest unnotified ancestor ordinal, global_sequence - first sequence, recv_sequence | digest
 *   | a varuint per account of auth_sequence | varuint code_sequence, abi_sequence
 * and a further one
 *   varuint ordinal | receiver 8 | varuint recv_sequence | digest
 *
 * Digests would be a fifth of a store, because they cannot be compressed. The record of an action leaves out a digest that its action
 * has: it is computed from the action when it is read, and compared with its first bytes, which the record keeps. Of the rest, the
 * receipts would be a third, although nodes execute the traces of an action one after another: each has the next sequences
 * (nodeos apply_context.cpp, finalize_trace). `canDerive` of `@antelope-history/deserialize` decides whether they do.
 * Arrays are copied byte by byte from SHiP's encoding. `ActionRecordEncoder` of `@antelope-history/deserialize` writes this form.
 */

/** Flags of an action. */
export const ACTION_FLAGS = { contextFree: 1, digestsCoverReturnValue: 2, derivedReceipts: 4 } as const;

/**
 * Flags of a trace: which optional fields follow, and whether its digest equals that of the contract's own trace, or is computed from
 * the action.
 */
export const TRACE_FLAGS = {
  hasElapsed: 1,
  hasConsole: 2,
  hasRamDeltas: 4,
  hasExcept: 8,
  hasErrorCode: 16,
  hasReturnValue: 32,
  sameDigest: 64,
  computedDigest: 128,
} as const;

// Constants of this module: a flag is tested several times per trace, and a property costs a load each time.
const HAS_ELAPSED = TRACE_FLAGS.hasElapsed;
const HAS_CONSOLE = TRACE_FLAGS.hasConsole;
const HAS_RAM_DELTAS = TRACE_FLAGS.hasRamDeltas;
const HAS_EXCEPT = TRACE_FLAGS.hasExcept;
const HAS_ERROR_CODE = TRACE_FLAGS.hasErrorCode;
const HAS_RETURN_VALUE = TRACE_FLAGS.hasReturnValue;
const SAME_DIGEST = TRACE_FLAGS.sameDigest;
const COMPUTED_DIGEST = TRACE_FLAGS.computedDigest;

const EMPTY = Buffer.alloc(0);
const NO_DELTAS: ActionTrace['accountRamDeltas'] = [];

/**
 * Decodes a packed record. `firstSequence` is the first global sequence of its transaction, from which the record counts. Receipts
 * read some of their fields from `bytes` at each use; `copyReceipt` makes one that can be spread or cloned. Throws `DECODE_FAILED` on
 * bytes that are not an action record.
 */
export function decodeActionRecord(bytes: Buffer, firstSequence: number): ActionRecord {
  const reader = new ByteReader(bytes);
  const flags = reader.uint8();
  const account = reader.name();
  const name = reader.name();
  const authorization = readPairs(reader, (actor, permission) => ({ actor, permission: readName(bytes, permission) }));
  const base = bytes.subarray(BASE_AT, reader.offset);
  const data = reader.lengthPrefixed();
  const digests = new ActDigests(base, data, (flags & ACTION_FLAGS.digestsCoverReturnValue) !== 0);
  const count = reader.varuint32();
  const traces =
    flags & ACTION_FLAGS.derivedReceipts
      ? decodeDerivedTraces(reader, count, firstSequence, account, base, digests)
      : decodeWholeTraces(reader, count, firstSequence, digests);
  if (reader.remaining() > 0) throw new HistoryError('DECODE_FAILED', 'bytes remain after an action record');
  return { account, name, authorization, data, contextFree: (flags & ACTION_FLAGS.contextFree) !== 0, traces };
}

/** The base of an action follows its flags. */
export const BASE_AT = 1;

function decodeWholeTraces(
  reader: ByteReader,
  count: number,
  firstSequence: number,
  digests: ActDigests,
): ActionTrace[] {
  const traces: ActionTrace[] = [];
  let own: WholeReceipt | undefined;
  for (let index = 0; index < count; index++) {
    const flags = reader.uint8();
    const ordinal = reader.varuint32();
    const creator = reader.varuint32();
    const ancestor = reader.varuint32();
    const receiver = reader.name();
    const same = flags & SAME_DIGEST ? own : undefined;
    const receipt = WholeReceipt.read(reader, firstSequence, same, flags & COMPUTED_DIGEST ? digests : undefined);
    own ??= receipt;
    traces.push(decodeTrace(reader, flags, ordinal, creator, ancestor, receiver, receipt));
  }
  return traces;
}

function decodeDerivedTraces(
  reader: ByteReader,
  count: number,
  firstSequence: number,
  account: string,
  base: Buffer,
  digests: ActDigests,
): ActionTrace[] {
  const flags = reader.uint8();
  const ordinal = reader.varuint32();
  const creator = reader.varuint32();
  const ancestor = reader.varuint32();
  const actors = receiptActors(base).length;
  const own = DerivedReceipt.readOwn(
    reader,
    firstSequence,
    flags & COMPUTED_DIGEST ? digests : undefined,
    base,
    actors,
  );
  const traces = [decodeTrace(reader, flags, ordinal, creator, ancestor, account, own)];
  for (let index = 1; index < count; index++) {
    const furtherFlags = reader.uint8();
    const furtherOrdinal = reader.varuint32();
    const receiver = reader.name();
    const same = furtherFlags & SAME_DIGEST ? own : undefined;
    const ofTrace = furtherFlags & COMPUTED_DIGEST ? digests : undefined;
    const receipt = DerivedReceipt.readFurther(reader, same, ofTrace, own, index);
    traces.push(decodeTrace(reader, furtherFlags, furtherOrdinal, ordinal, ordinal, receiver, receipt));
  }
  return traces;
}

/** Decodes the optional fields of a trace. */
function decodeTrace(
  reader: ByteReader,
  flags: number,
  ordinal: number,
  creatorOrdinal: number,
  closestUnnotifiedAncestorOrdinal: number,
  receiver: string,
  receipt: RecordReceipt,
): ActionTrace {
  const trace = {
    ordinal,
    creatorOrdinal,
    closestUnnotifiedAncestorOrdinal,
    receiver,
    receipt,
    elapsed: flags & HAS_ELAPSED ? reader.int64() : 0n,
    console: flags & HAS_CONSOLE ? reader.lengthPrefixed() : EMPTY,
    accountRamDeltas:
      flags & HAS_RAM_DELTAS
        ? readPairs(reader, (actor, at) => ({ account: actor, delta: reader.bytes.readBigInt64LE(at) }))
        : NO_DELTAS,
    except: flags & HAS_EXCEPT ? reader.lengthPrefixed().toString('utf8') : undefined,
    errorCode: flags & HAS_ERROR_CODE ? reader.uint64() : undefined,
    returnValue: flags & HAS_RETURN_VALUE ? reader.lengthPrefixed() : EMPTY,
  };
  receipt.returnValue = trace.returnValue;
  return trace;
}
