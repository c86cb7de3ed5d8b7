import { createHash } from 'node:crypto';
import { blockTimestampToString, utf8ToString, type ByteReader } from '@antelope-history/abi';
import { HistoryError } from '@antelope-history/schemas';
import { readArray } from '@antelope-history/ship';
import { renderInteger64 } from '@antelope-history/responses';
import { readProducerAuthority } from './producer-schedule';

/**
 * Readers of the block extensions of Savanna (Spring 1) into the JSON of the node, which leaves absent optionals out
 * (Spring libraries/chain/include/eosio/chain/finality/finality_extension.hpp, qc.hpp).
 */

/** Header extension 2: the block's finality claim and changes of policies. */
export function readFinalityExtension(reader: ByteReader): unknown {
  return {
    qc_claim: { block_num: reader.uint32(), is_strong_qc: reader.uint8() !== 0 },
    ...present('new_finalizer_policy_diff', readOptional(reader, readFinalizerPolicyDiff)),
    ...present('new_proposer_policy_diff', readOptional(reader, readProposerPolicyDiff)),
  };
}

/** Block extension 3: the quorum certificate. */
export function readQcExtension(reader: ByteReader): unknown {
  return {
    qc: {
      block_num: reader.uint32(),
      active_policy_sig: readQcSignature(reader),
      ...present('pending_policy_sig', readOptional(reader, readQcSignature)),
    },
  };
}

function readFinalizerPolicyDiff(reader: ByteReader): unknown {
  return {
    generation: reader.uint32(),
    threshold: renderInteger64(reader.uint64()),
    finalizers_diff: readOrderedDiff(reader, readFinalizerAuthority),
  };
}

function readProposerPolicyDiff(reader: ByteReader): unknown {
  return {
    version: reader.uint32(),
    proposal_time: blockTimestampToString(reader.uint32()),
    producer_auth_diff: readOrderedDiff(reader, readProducerAuthority),
  };
}

/** The difference between two lists (fc/container/ordered_diff.hpp). */
function readOrderedDiff(reader: ByteReader, readElement: (reader: ByteReader) => unknown): unknown {
  return {
    remove_indexes: readArray(reader, () => reader.uint16()),
    insert_indexes: readArray(reader, () => [reader.uint16(), readElement(reader)]),
  };
}

function readFinalizerAuthority(reader: ByteReader): unknown {
  return {
    description: utf8ToString(reader.lengthPrefixed()),
    weight: renderInteger64(reader.uint64()),
    public_key: `PUB_BLS_${encodeBls(readSized(reader, 96))}`,
  };
}

function readQcSignature(reader: ByteReader): unknown {
  return {
    ...present('strong_votes', readOptional(reader, readBitset)),
    ...present('weak_votes', readOptional(reader, readBitset)),
    sig: `SIG_BLS_${encodeBls(readSized(reader, 192))}`,
  };
}

/** A bitset is packed as its number of bits and its bytes, lowest bits first; its text starts with the highest bit. */
function readBitset(reader: ByteReader): string {
  const size = reader.varuint32();
  const bytes = reader.slice(Math.ceil(size / 8));
  let text = '';
  for (let bit = size - 1; bit >= 0; bit--) text += ((bytes[bit >>> 3] as number) >>> (bit & 7)) & 1;
  return text;
}

/** A packed optional: a flag and, if it is set, the value. */
function readOptional<T>(reader: ByteReader, readValue: (reader: ByteReader) => T): T | undefined {
  return reader.uint8() === 0 ? undefined : readValue(reader);
}

function readSized(reader: ByteReader, size: number): Buffer {
  const bytes = reader.lengthPrefixed();
  if (bytes.length !== size) throw new HistoryError('DECODE_FAILED', `${bytes.length} bytes in place of ${size}`);
  return bytes;
}

/** Text of BLS keys and signatures: base64url of the bytes and four checksum bytes (fc/crypto/bls_common.hpp). */
function encodeBls(bytes: Buffer): string {
  const checksum = createHash('ripemd160').update(bytes).digest().subarray(0, 4);
  return Buffer.concat([bytes, checksum]).toString('base64url');
}

function present(name: string, value: unknown): Record<string, unknown> {
  return value === undefined ? {} : { [name]: value };
}
