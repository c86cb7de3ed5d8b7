import { ByteReader, readName } from '@antelope-history/abi';
import { HistoryError } from '@antelope-history/schemas';
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
 *   | varuint global_sequence - first sequence of the transaction | recv_sequence u64 | act_digest 32 unless `sameDigest`
 *   | auth_sequence: varuint n, n × (account 8, u64) | varuint code_sequence, abi_sequence
 *   | the fields whose flags are set: elapsed i64, console, ram deltas (varuint n, n × (account 8, i64)), except,
 *     error_code u64, return_value
 * Arrays are copied byte by byte from SHiP's encoding. `encodeActionRecord` of `@antelope-history/deserialize` writes this form.
 */

/** Flags of an action. */
export const ACTION_FLAGS = { contextFree: 1 } as const;

/** Flags of a trace: which optional fields follow, and whether its digest equals that of the contract's own trace. */
export const TRACE_FLAGS = {
  hasElapsed: 1,
  hasConsole: 2,
  hasRamDeltas: 4,
  hasExcept: 8,
  hasErrorCode: 16,
  hasReturnValue: 32,
  sameDigest: 64,
} as const;

// Constants of this module: a flag is tested several times per trace, and a property costs a load each time.
const HAS_ELAPSED = TRACE_FLAGS.hasElapsed;
const HAS_CONSOLE = TRACE_FLAGS.hasConsole;
const HAS_RAM_DELTAS = TRACE_FLAGS.hasRamDeltas;
const HAS_EXCEPT = TRACE_FLAGS.hasExcept;
const HAS_ERROR_CODE = TRACE_FLAGS.hasErrorCode;
const HAS_RETURN_VALUE = TRACE_FLAGS.hasReturnValue;
const SAME_DIGEST = TRACE_FLAGS.sameDigest;

const EMPTY = Buffer.alloc(0);
const NO_DELTAS: ActionTrace['accountRamDeltas'] = [];
const RECV_SEQUENCE_BYTES = 8;
const DIGEST_BYTES = 32;
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
  const data = reader.lengthPrefixed();
  const count = reader.varuint32();
  const traces: ActionTrace[] = [];
  for (let index = 0; index < count; index++) {
    traces.push(decodeTrace(reader, firstSequence, traces[0]?.receipt));
  }
  if (reader.remaining() > 0) throw new HistoryError('DECODE_FAILED', 'bytes remain after an action record');
  return { account, name, authorization, data, contextFree: (flags & ACTION_FLAGS.contextFree) !== 0, traces };
}

function decodeTrace(reader: ByteReader, firstSequence: number, own: ActionReceipt | undefined): ActionTrace {
  const flags = reader.uint8();
  const ordinal = reader.varuint32();
  const creatorOrdinal = reader.varuint32();
  const closestUnnotifiedAncestorOrdinal = reader.varuint32();
  const receiver = reader.name();
  const receipt = ReceiptOfRecord.read(reader, firstSequence, flags & SAME_DIGEST ? own : undefined);
  return {
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
}

/**
 * A receipt that reads its digest and the sequences of accounts from the record when they are used: a block of the trace API shows
 * none of them, and they are most of the objects and of the garbage of its traces.
 */
class ReceiptOfRecord implements ActionReceipt {
  private constructor(
    private readonly bytes: Buffer,
    /** Position of `recv_sequence`. */
    private readonly at: number,
    /** The receipt that has the same digest, which the record does not repeat. */
    private readonly own: ActionReceipt | undefined,
    readonly globalSequence: number,
    readonly codeSequence: number,
    readonly abiSequence: number,
  ) {}

  static read(reader: ByteReader, firstSequence: number, own: ActionReceipt | undefined): ActionReceipt {
    const globalSequence = firstSequence + readVaruint(reader);
    const at = reader.offset;
    reader.skip(RECV_SEQUENCE_BYTES);
    if (!own) reader.skip(DIGEST_BYTES);
    skipPairs(reader);
    return new ReceiptOfRecord(reader.bytes, at, own, globalSequence, reader.varuint32(), reader.varuint32());
  }

  get recvSequence(): bigint {
    return this.bytes.readBigUInt64LE(this.at);
  }

  get actDigest(): string {
    if (this.own) return this.own.actDigest;
    const start = this.at + RECV_SEQUENCE_BYTES;
    return this.bytes.toString('hex', start, start + DIGEST_BYTES);
  }

  get authSequence(): ActionReceipt['authSequence'] {
    const start = this.at + RECV_SEQUENCE_BYTES + (this.own ? 0 : DIGEST_BYTES);
    return readPairs(new ByteReader(this.bytes, start), (account, at) => ({
      account,
      sequence: this.bytes.readBigUInt64LE(at),
    }));
  }
}

/** A receipt whose fields are values of its own: for a caller that changes some or compares them. */
export function copyReceipt(receipt: ActionReceipt): ActionReceipt {
  const { actDigest, globalSequence, recvSequence, authSequence, codeSequence, abiSequence } = receipt;
  return { actDigest, globalSequence, recvSequence, authSequence, codeSequence, abiSequence };
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
