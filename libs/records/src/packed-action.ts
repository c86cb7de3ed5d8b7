import { ByteReader } from '@antelope-history/abi';
import { ActDigests } from './act-digest';
import { ACTION_FLAGS, TRACE_FLAGS } from './action-record';
import { DIGEST_BYTES } from './digest-writer';
import { readVaruint } from './read-varuint';
import { receiptActors } from './receipt-actors';
import { skipPairs } from './record-pairs';
import { assertDigestCheck, DIGEST_CHECK_BYTES } from './record-receipt';
import { RecordWriter } from './record-writer';

/**
 * The parts of an action that the chain hashes, each as nodeos packs it and as a view of the record. An action with a million
 * authorizations takes no more memory than one without.
 */
export interface PackedAction {
  /** Account, name and authorization: nodeos' `action_base`. */
  base: Buffer;
  data: Buffer;
  /** The contract's own trace first, then one per notified account. Each iteration reads them anew. */
  traces: Iterable<PackedTrace>;
}

/** The hashed parts of a trace. */
export interface PackedTrace {
  /** 8 bytes. */
  receiver: Buffer;
  globalSequence: number;
  /** 8 bytes. */
  recvSequence: Buffer;
  /** 32 bytes. */
  actDigest: Buffer;
  /** Whether the digest was computed from the action, so that it proves nothing more. */
  isDigestComputed: boolean;
  /** auth_sequence, code_sequence and abi_sequence. */
  counters: Buffer;
  returnValue: Buffer;
}

const EMPTY = Buffer.alloc(0);
/** After the flags, the account and the name. */
const AUTHORIZATION_AT = 17;

/**
 * Reads the hashed parts of a packed action record (see `decodeActionRecord`, which decodes all of it). `firstSequence` is the
 * first global sequence of its transaction. Throws `DECODE_FAILED` on bytes that are not an action record, about the traces
 * only when they are iterated, where a computed digest can also show that the action was damaged.
 */
export function readPackedAction(bytes: Buffer, firstSequence: number): PackedAction {
  const reader = new ByteReader(bytes);
  const flags = reader.uint8();
  const base = viewOf(reader, () => {
    reader.skip(16);
    skipPairs(reader);
  });
  const data = reader.lengthPrefixed();
  const tracesAt = reader.offset;
  const digests = new ActDigests(base, data, (flags & ACTION_FLAGS.digestsCoverReturnValue) !== 0);
  const read = flags & ACTION_FLAGS.derivedReceipts ? readDerivedTraces : readWholeTraces;
  const traces = { [Symbol.iterator]: () => read(new ByteReader(bytes, tracesAt), firstSequence, base, digests) };
  return { base, data, traces };
}

/** A view of the data of a packed action record, for a caller that needs nothing else. */
export function readActionData(bytes: Buffer): Buffer {
  const reader = new ByteReader(bytes, AUTHORIZATION_AT);
  skipPairs(reader);
  return reader.lengthPrefixed();
}

function* readWholeTraces(
  reader: ByteReader,
  firstSequence: number,
  _base: Buffer,
  digests: ActDigests,
): Generator<PackedTrace> {
  const count = reader.varuint32();
  let own: PackedTrace | undefined;
  for (let index = 0; index < count; index++) {
    const flags = reader.uint8();
    skipOrdinals(reader, 3);
    const receiver = reader.slice(8);
    const globalSequence = firstSequence + readVaruint(reader);
    const recvSequence = reader.slice(8);
    const digestAt = skipDigest(reader, flags, own);
    const counters = viewOf(reader, () => {
      skipPairs(reader);
      reader.varuint32();
      reader.varuint32();
    });
    const returnValue = readReturnValue(reader, flags);
    const digest = readDigest(reader.bytes, digestAt, flags, returnValue, digests, own);
    const trace = { receiver, globalSequence, recvSequence, counters, returnValue, ...digest };
    own ??= trace;
    yield trace;
  }
}

function* readDerivedTraces(
  reader: ByteReader,
  firstSequence: number,
  base: Buffer,
  digests: ActDigests,
): Generator<PackedTrace> {
  const count = reader.varuint32();
  const counters = new DerivedCounters(base);
  let own: PackedTrace | undefined;
  for (let index = 0; index < count; index++) {
    const flags = reader.uint8();
    skipOrdinals(reader, own ? 1 : 3);
    const receiver = own ? reader.slice(8) : base.subarray(0, 8);
    const globalSequence = own ? own.globalSequence + index : firstSequence + readVaruint(reader);
    const received = readVaruint(reader);
    const digestAt = skipDigest(reader, flags, own);
    if (!own) counters.read(reader);
    const returnValue = readReturnValue(reader, flags);
    const digest = readDigest(reader.bytes, digestAt, flags, returnValue, digests, own);
    const trace = { receiver, globalSequence, ...counters.pack(received, index), returnValue, ...digest };
    own ??= trace;
    yield trace;
  }
}

/** The counters of an action's receipts in the form that the chain hashes. */
class DerivedCounters {
  private readonly actors: number[];
  private readonly sequences: number[] = [];
  private codeSequence = 0;
  private abiSequence = 0;

  constructor(private readonly base: Buffer) {
    this.actors = receiptActors(base);
  }

  /** Reads the counters of the contract's own receipt. */
  read(reader: ByteReader): void {
    for (let index = 0; index < this.actors.length; index++) this.sequences.push(readVaruint(reader));
    this.codeSequence = reader.varuint32();
    this.abiSequence = reader.varuint32();
  }

  /** Packs the counters of a receipt; `preceding`: the number of the action's receipts before it, each of which raised them by one. */
  pack(received: number, preceding: number): Pick<PackedTrace, 'recvSequence' | 'counters'> {
    const writer = (sharedWriter ??= new RecordWriter(RECEIPT_BYTES));
    writer.clear();
    writer.uint64(received);
    writer.varuint(this.actors.length);
    for (const [index, at] of this.actors.entries()) {
      writer.copy(this.base, at, at + 8);
      writer.uint64((this.sequences[index] as number) + preceding);
    }
    writer.varuint(this.codeSequence);
    writer.varuint(this.abiSequence);
    const bytes = Buffer.from(writer.view(0));
    return { recvSequence: bytes.subarray(0, 8), counters: bytes.subarray(8) };
  }
}

/** Enough for the counters of a derived receipt: at most 16 accounts (`canDerive`), each with its sequence in 16 bytes. */
const RECEIPT_BYTES = 300;

/** Receipts are packed one after another, so one buffer serves all. */
let sharedWriter: RecordWriter | undefined;

function skipOrdinals(reader: ByteReader, count: number): void {
  for (let index = 0; index < count; index++) reader.varuint32();
}

/** Skips what the record holds of a digest, and returns where that begins. */
function skipDigest(reader: ByteReader, flags: number, own: PackedTrace | undefined): number {
  const at = reader.offset;
  if (flags & TRACE_FLAGS.sameDigest && own) return at;
  reader.skip(flags & TRACE_FLAGS.computedDigest ? DIGEST_CHECK_BYTES : DIGEST_BYTES);
  return at;
}

/** Skips the optional fields before the return value. */
function readReturnValue(reader: ByteReader, flags: number): Buffer {
  if (flags & TRACE_FLAGS.hasElapsed) reader.skip(8);
  if (flags & TRACE_FLAGS.hasConsole) reader.skip(reader.varuint32());
  if (flags & TRACE_FLAGS.hasRamDeltas) skipPairs(reader);
  if (flags & TRACE_FLAGS.hasExcept) reader.skip(reader.varuint32());
  if (flags & TRACE_FLAGS.hasErrorCode) reader.skip(8);
  return flags & TRACE_FLAGS.hasReturnValue ? reader.lengthPrefixed() : EMPTY;
}

function readDigest(
  bytes: Buffer,
  digestAt: number,
  flags: number,
  returnValue: Buffer,
  digests: ActDigests,
  own: PackedTrace | undefined,
): Pick<PackedTrace, 'actDigest' | 'isDigestComputed'> {
  if (flags & TRACE_FLAGS.sameDigest && own) {
    const isDigestComputed = own.isDigestComputed && returnValue.equals(own.returnValue);
    return { actDigest: own.actDigest, isDigestComputed };
  }
  if (!(flags & TRACE_FLAGS.computedDigest)) {
    return { actDigest: bytes.subarray(digestAt, digestAt + DIGEST_BYTES), isDigestComputed: false };
  }
  const digest = digests.of(returnValue);
  assertDigestCheck(digest, 'latin1', bytes, digestAt);
  return { actDigest: Buffer.from(digest, 'latin1'), isDigestComputed: true };
}

/** The bytes that `skip` passes over. */
function viewOf(reader: ByteReader, skip: () => void): Buffer {
  const start = reader.offset;
  skip();
  return reader.bytes.subarray(start, reader.offset);
}
