import { hash } from 'node:crypto';
import { writeName } from '@antelope-history/abi';

/**
 * A SHA-256 digest as a string of 32 characters, one per byte (latin1, which `node:crypto` calls binary). Digests are computed, joined and compared by the million
 * when a store is verified, and a string takes a third of the time that a Buffer takes.
 */
export type Digest = string;

export const DIGEST_BYTES = 32;

export function digestOf(bytes: Buffer): Digest {
  return hash('sha256', bytes, 'binary');
}

export function toHex(digest: Digest): string {
  return Buffer.from(digest, 'latin1').toString('hex');
}

/** Most packed receipts and actions fit; the buffer grows for others. */
const INITIAL_BYTES = 4096;
/** Packed names that are remembered: the actions of a busy chain use few of them. */
const MAX_NAMES = 16_384;

/** Packs fields as nodeos does before it hashes them (fc::raw::pack), and gives their digest. One buffer serves all of them. */
export class DigestWriter {
  private buffer = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  private end = 0;
  private readonly names = new Map<string, Buffer>();

  /** The digest of what was written since the last one. */
  digest(): Digest {
    const digest = digestOf(this.buffer.subarray(0, this.end));
    this.end = 0;
    return digest;
  }

  name(name: string): void {
    this.bytes(this.packedName(name));
  }

  uint8(value: number): void {
    this.reserve(1);
    this.buffer[this.end++] = value;
  }

  uint32(value: number): void {
    this.reserve(4);
    this.end = this.buffer.writeUInt32LE(value, this.end);
  }

  /** A whole number up to 2^53 - 1 in eight bytes. */
  uint53(value: number): void {
    this.uint32(value % 2 ** 32);
    this.uint32(Math.floor(value / 2 ** 32));
  }

  uint64(value: bigint): void {
    this.reserve(8);
    this.end = this.buffer.writeBigUInt64LE(value, this.end);
  }

  varuint(value: number): void {
    this.reserve(5);
    let rest = value;
    for (; rest > 0x7f; rest >>>= 7) this.buffer[this.end++] = (rest & 0x7f) | 0x80;
    this.buffer[this.end++] = rest;
  }

  bytes(bytes: Buffer): void {
    this.reserve(bytes.length);
    this.end += bytes.copy(this.buffer, this.end);
  }

  lengthPrefixed(bytes: Buffer): void {
    this.varuint(bytes.length);
    this.bytes(bytes);
  }

  hash(digest: Digest): void {
    this.reserve(DIGEST_BYTES);
    this.end += this.buffer.write(digest, this.end, 'latin1');
  }

  hexHash(hex: string): void {
    this.reserve(DIGEST_BYTES);
    this.end += this.buffer.write(hex, this.end, 'hex');
  }

  /** The two children of a node; `sideBit` is cleared in the first byte of the left and set in that of the right one. */
  pair(left: Digest, right: Digest, sideBit: number): void {
    const start = this.end;
    this.hash(left);
    this.hash(right);
    const { buffer } = this;
    buffer[start] = (buffer[start] as number) & ~sideBit;
    buffer[start + DIGEST_BYTES] = (buffer[start + DIGEST_BYTES] as number) | sideBit;
  }

  private packedName(name: string): Buffer {
    let packed = this.names.get(name);
    if (packed) return packed;
    if (this.names.size >= MAX_NAMES) this.names.clear();
    packed = Buffer.alloc(8);
    writeName(name, packed, 0);
    this.names.set(name, packed);
    return packed;
  }

  private reserve(bytes: number): void {
    if (this.end + bytes <= this.buffer.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.buffer.length * 2, this.end + bytes));
    this.buffer.copy(grown, 0, 0, this.end);
    this.buffer = grown;
  }
}
