import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { ByteReader } from '@antelope-history/abi';
import { HistoryError } from '@antelope-history/schemas';
import { readVaruint } from './read-varuint';
import type { RawBlock } from './block-records';
import { RecordWriter } from './record-writer';

/*
 * The message form of a raw block: version u8 | varuint epoch, sequence - epoch | chain id: u8 length, bytes | the node's
 * ABI frame, deflated and length-prefixed | the message's own bytes. Every message carries the ABI frame, so that any worker
 * can deserialize it; deflated, the frame has about 3 KB.
 */
const VERSION = 1;
/** Limit on an inflated ABI frame; the frames of EOSIO 2.0 and Leap have 26 to 30 KB. */
const MAX_ABI_BYTES = 16 * 1024 * 1024;

/** Caches the last ABI frame, because all messages of an epoch carry the same one. */
class AbiFrames {
  private text: string | undefined;
  private packed: Buffer | undefined;

  pack(text: string): Buffer {
    if (!this.packed || text !== this.text) this.packed = deflateRawSync(text);
    this.text = text;
    return this.packed;
  }

  unpack(packed: Buffer): string {
    if (this.text === undefined || !this.packed?.equals(packed)) {
      this.text = inflate(packed);
      // Copied, because a view would keep the whole message in memory.
      this.packed = Buffer.from(packed);
    }
    return this.text;
  }
}

function inflate(packed: Buffer): string {
  try {
    return inflateRawSync(packed, { maxOutputLength: MAX_ABI_BYTES }).toString('utf8');
  } catch (cause) {
    throw new HistoryError('DECODE_FAILED', 'the ABI frame of a raw block does not inflate', { cause });
  }
}

const sent = new AbiFrames();
const received = new AbiFrames();

/** The codec of raw blocks for brokers that carry bytes. */
export const rawBlockCodec = {
  encode({ abi, message, chainId, streamPosition }: RawBlock): Buffer {
    const packedAbi = sent.pack(abi);
    const head = new RecordWriter(packedAbi.length + 64);
    head.uint8(VERSION);
    head.varuint(streamPosition.epoch);
    head.varuint(streamPosition.sequence - streamPosition.epoch);
    const chain = Buffer.from(chainId ?? '', 'hex');
    head.uint8(chain.length);
    head.copy(chain, 0, chain.length);
    head.lengthPrefixed(packedAbi);
    return Buffer.concat([head.view(0), message]);
  },

  /** The message points into `bytes`. Throws `DECODE_FAILED` on bytes that are not a raw block. */
  decode(bytes: Buffer): RawBlock {
    const reader = new ByteReader(bytes);
    const version = reader.uint8();
    if (version !== VERSION) {
      throw new HistoryError(
        'DECODE_FAILED',
        `the raw block has version ${version}, this version of the service reads ${VERSION}`,
      );
    }
    const epoch = readVaruint(reader);
    const streamPosition = { epoch, sequence: epoch + readVaruint(reader) };
    const chainId = reader.slice(reader.uint8()).toString('hex') || undefined;
    const abi = received.unpack(reader.lengthPrefixed());
    return { abi, message: reader.slice(reader.remaining()), chainId, streamPosition };
  },
};
