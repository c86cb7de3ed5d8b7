import { ByteReader, readName } from '@antelope-history/abi';
import { HistoryError } from '@antelope-history/schemas';
import { ActDigests } from './act-digest';
import { DIGEST_BYTES } from './digest-writer';
import { readVaruint } from './read-varuint';

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
 *   | varuint global_sequence - first sequence of the transaction | recv_sequence u64 | act_digest 32, unless `sameDigest`; the first
 *   DIGEST_CHECK_BYTES of it if `computedDigest`
 *   | auth_sequence: varuint n, n × (account 8, u64) | varuint code_sequence, abi_sequence
 *   | the fields whose flags are set: elapsed i64, console, ram deltas (varuint n, n × (account 8, i64)), except,
 *     error_code u64, return_value
 * Digests would be a fifth of a store, because they cannot be compressed. The record of an action leaves out a digest that its action
 * has: it is computed from the action when it is read, and compared with its first bytes, which the record keeps.
 * Arrays are copied byte by byte from SHiP's encoding. `ActionRecordEncoder` of `@antelope-history/deserialize` writes this form.
 */

/** Flags of an action. */
export const ACTION_FLAGS = { contextFree: 1, digestsCoverReturnValue: 2 } as const;

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

/** How much of a computed digest a record holds: enough to find that its action was damaged, all but once in 65,536 times. */
export const DIGEST_CHECK_BYTES = 2;

const EMPTY = Buffer.alloc(0);
const NO_DELTAS: ActionTrace['accountRamDeltas'] = [];
const RECV_SEQUENCE_BYTES = 8;
const PAIR_FIELD_BYTES = 8;

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
  const traces: Trace[] = [];
  for (let index = 0; index < count; index++) {
    traces.push(decodeTrace(reader, firstSequence, digests, traces[0]?.receipt));
  }
  if (reader.remaining() > 0) throw new HistoryError('DECODE_FAILED', 'bytes remain after an action record');
  return { account, name, authorization, data, contextFree: (flags & ACTION_FLAGS.contextFree) !== 0, traces };
}

/** The base of an action follows its flags. */
export const BASE_AT = 1;

function decodeTrace(
  reader: ByteReader,
  firstSequence: number,
  digests: ActDigests,
  ofOwn: ReceiptOfRecord | undefined,
): Trace {
  const flags = reader.uint8();
  const ordinal = reader.varuint32();
  const creatorOrdinal = reader.varuint32();
  const closestUnnotifiedAncestorOrdinal = reader.varuint32();
  const receiver = reader.name();
  const own = flags & SAME_DIGEST ? ofOwn : undefined;
  const receipt = ReceiptOfRecord.read(reader, firstSequence, own, flags & COMPUTED_DIGEST ? digests : undefined);
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

type Trace = ActionTrace & { receipt: ReceiptOfRecord };

/**
 * A receipt that reads its digest and the sequences of accounts from the record when they are used: a block of the trace API shows
 * none of them, and they are most of the objects and of the garbage of its traces.
 */
class ReceiptOfRecord implements ActionReceipt {
  /** What the trace returned, which its digest may cover. */
  returnValue: Buffer = EMPTY;

  private constructor(
    private readonly bytes: Buffer,
    /** Position of `recv_sequence`. */
    private readonly at: number,
    /** The receipt that has the same digest, which the record does not repeat. */
    private readonly own: ReceiptOfRecord | undefined,
    /** Those of the action, if the digest is computed. */
    private readonly digests: ActDigests | undefined,
    /** Position of `auth_sequence`. */
    private readonly authSequenceAt: number,
    readonly globalSequence: number,
    readonly codeSequence: number,
    readonly abiSequence: number,
  ) {}

  static read(
    reader: ByteReader,
    firstSequence: number,
    own: ReceiptOfRecord | undefined,
    digests: ActDigests | undefined,
  ): ReceiptOfRecord {
    const globalSequence = firstSequence + readVaruint(reader);
    const at = reader.offset;
    reader.skip(RECV_SEQUENCE_BYTES);
    if (!own) reader.skip(digests ? DIGEST_CHECK_BYTES : DIGEST_BYTES);
    const authAt = reader.offset;
    skipPairs(reader);
    const [code, abi] = [reader.varuint32(), reader.varuint32()];
    return new ReceiptOfRecord(reader.bytes, at, own, digests, authAt, globalSequence, code, abi);
  }

  get recvSequence(): bigint {
    return this.bytes.readBigUInt64LE(this.at);
  }

  /** Throws `DECODE_FAILED` when a computed digest shows that the record was damaged. */
  get actDigest(): string {
    if (this.own) return this.own.actDigest;
    const start = this.at + RECV_SEQUENCE_BYTES;
    if (!this.digests) return this.bytes.toString('hex', start, start + DIGEST_BYTES);
    const digest = this.digests.hexOf(this.returnValue);
    assertDigestCheck(digest, 'hex', this.bytes, start);
    return digest;
  }

  get authSequence(): ActionReceipt['authSequence'] {
    return readPairs(new ByteReader(this.bytes, this.authSequenceAt), (account, at) => ({
      account,
      sequence: this.bytes.readBigUInt64LE(at),
    }));
  }
}

/** Throws `DECODE_FAILED` unless a computed digest begins with the bytes that the record has of it, from `start` on. */
export function assertDigestCheck(digest: string, encoding: 'latin1' | 'hex', bytes: Buffer, start: number): void {
  if (digest.startsWith(bytes.toString(encoding, start, start + DIGEST_CHECK_BYTES))) return;
  throw new HistoryError('DECODE_FAILED', 'the digest of an action is not the one that it had when it was recorded');
}

/** A receipt whose fields are values of its own: for a caller that changes some or compares them. */
export function copyReceipt(receipt: ActionReceipt): ActionReceipt {
  const { actDigest, globalSequence, recvSequence, authSequence, codeSequence, abiSequence } = receipt;
  return { actDigest, globalSequence, recvSequence, authSequence, codeSequence, abiSequence };
}

/** An action whose receipts are copied, to compare it with one of another record: two records of the same action can differ. */
export function copyAction(action: ActionRecord): ActionRecord {
  return { ...action, traces: action.traces.map((trace) => ({ ...trace, receipt: copyReceipt(trace.receipt) })) };
}

/** Skips what `readPairs` reads. */
function skipPairs(reader: ByteReader): void {
  reader.skip(2 * PAIR_FIELD_BYTES * reader.varuint32());
}

/** Reads an array of pairs of a name and a 64-bit field; `make` receives the name and the offset of the second field. */
function readPairs<T>(reader: ByteReader, make: (first: string, secondAt: number) => T): T[] {
  const count = reader.varuint32();
  const pairs: T[] = [];
  for (let index = 0; index < count; index++) {
    const first = reader.name();
    const secondAt = reader.offset;
    reader.skip(PAIR_FIELD_BYTES);
    pairs.push(make(first, secondAt));
  }
  return pairs;
}
