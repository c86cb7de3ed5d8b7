import { ByteReader } from '@antelope-history/abi';
import { ActDigests } from './act-digest';
import { ACTION_FLAGS, assertDigestCheck, DIGEST_CHECK_BYTES, TRACE_FLAGS } from './action-record';
import { DIGEST_BYTES } from './digest-writer';
import { readVaruint } from './read-varuint';

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
  return { base, data, traces: { [Symbol.iterator]: () => readTraces(bytes, tracesAt, firstSequence, digests) } };
}

/** A view of the data of a packed action record, for a caller that needs nothing else. */
export function readActionData(bytes: Buffer): Buffer {
  const reader = new ByteReader(bytes, AUTHORIZATION_AT);
  skipPairs(reader);
  return reader.lengthPrefixed();
}

function* readTraces(
  bytes: Buffer,
  tracesAt: number,
  firstSequence: number,
  digests: ActDigests,
): Generator<PackedTrace> {
  const reader = new ByteReader(bytes, tracesAt);
  const count = reader.varuint32();
  let own: PackedTrace | undefined;
  for (let index = 0; index < count; index++) {
    const trace = readTrace(reader, firstSequence, digests, own);
    own ??= trace;
    yield trace;
  }
}

function readTrace(
  reader: ByteReader,
  firstSequence: number,
  digests: ActDigests,
  own: PackedTrace | undefined,
): PackedTrace {
  const flags = reader.uint8();
  for (let ordinal = 0; ordinal < 3; ordinal++) reader.varuint32();
  const receiver = reader.slice(8);
  const globalSequence = firstSequence + readVaruint(reader);
  const recvSequence = reader.slice(8);
  const digestAt = reader.offset;
  const same = flags & TRACE_FLAGS.sameDigest ? own : undefined;
  const isComputed = (flags & TRACE_FLAGS.computedDigest) !== 0;
  if (!same) reader.skip(isComputed ? DIGEST_CHECK_BYTES : DIGEST_BYTES);
  const counters = viewOf(reader, () => {
    skipPairs(reader);
    reader.varuint32();
    reader.varuint32();
  });
  if (flags & TRACE_FLAGS.hasElapsed) reader.skip(8);
  if (flags & TRACE_FLAGS.hasConsole) reader.skip(reader.varuint32());
  if (flags & TRACE_FLAGS.hasRamDeltas) skipPairs(reader);
  if (flags & TRACE_FLAGS.hasExcept) reader.skip(reader.varuint32());
  if (flags & TRACE_FLAGS.hasErrorCode) reader.skip(8);
  const returnValue = flags & TRACE_FLAGS.hasReturnValue ? reader.lengthPrefixed() : EMPTY;
  const fields = { receiver, globalSequence, recvSequence, counters, returnValue };
  if (same) {
    const isDigestComputed = same.isDigestComputed && returnValue.equals(same.returnValue);
    return { ...fields, actDigest: same.actDigest, isDigestComputed };
  }
  if (!isComputed) {
    return {
      ...fields,
      actDigest: reader.bytes.subarray(digestAt, digestAt + DIGEST_BYTES),
      isDigestComputed: false,
    };
  }
  const digest = digests.of(returnValue);
  assertDigestCheck(digest, 'latin1', reader.bytes, digestAt);
  return { ...fields, actDigest: Buffer.from(digest, 'latin1'), isDigestComputed: true };
}

/** Skips an array of pairs of a name and a 64-bit field. */
function skipPairs(reader: ByteReader): void {
  reader.skip(16 * reader.varuint32());
}

/** The bytes that `skip` passes over. */
function viewOf(reader: ByteReader, skip: () => void): Buffer {
  const start = reader.offset;
  skip();
  return reader.bytes.subarray(start, reader.offset);
}
