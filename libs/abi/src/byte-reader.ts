import { HistoryError } from '@antelope-history/schemas';
import { readName } from './name';

/**
 * Reads the chain's binary encoding (fc::raw: little-endian integers, varuint32 lengths) from a buffer in sequence.
 *
 * A read beyond `end` throws `DECODE_FAILED` and leaves `offset` unchanged. Reads allocate only their result and use
 * index arithmetic instead of Buffer's checked readers, because the class reads several hundred thousand action traces
 * per second.
 */
export class ByteReader {
  readonly bytes: Buffer;
  readonly end: number;
  offset: number;

  /** The reader stays between `offset` and `end`, which are byte positions in `bytes`. */
  constructor(bytes: Buffer, offset = 0, end = bytes.length) {
    if (offset < 0 || end > bytes.length || offset > end) {
      throw new HistoryError('DECODE_FAILED', `a reader from ${offset} to ${end} does not fit ${bytes.length} bytes`);
    }
    this.bytes = bytes;
    this.offset = offset;
    this.end = end;
  }

  remaining(): number {
    return this.end - this.offset;
  }

  uint8(): number {
    const at = this.take(1, 'a byte');
    return this.bytes[at]!;
  }

  uint16(): number {
    const at = this.take(2, 'a 16-bit integer');
    const bytes = this.bytes;
    return bytes[at]! | (bytes[at + 1]! << 8);
  }

  uint32(): number {
    return this.int32() >>> 0;
  }

  int8(): number {
    return (this.uint8() << 24) >> 24;
  }

  int16(): number {
    return (this.uint16() << 16) >> 16;
  }

  int32(): number {
    const at = this.take(4, 'a 32-bit integer');
    const bytes = this.bytes;
    return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
  }

  uint64(): bigint {
    const at = this.take(8, 'a 64-bit integer');
    return this.bytes.readBigUInt64LE(at);
  }

  int64(): bigint {
    const at = this.take(8, 'a 64-bit integer');
    return this.bytes.readBigInt64LE(at);
  }

  /** Reads a uint64 as a number. Throws `DECODE_FAILED` for a value above 2^53-1. */
  uint64Number(): number {
    const low = this.uint32();
    const high = this.uint32();
    if (high > 0x1fffff) {
      this.offset -= 8;
      throw this.failure('a 64-bit integer beyond 2^53-1');
    }
    return high * 0x100000000 + low;
  }

  /**
   * Reads an unsigned LEB128 integer as nodes do: it ends with its fifth byte at the latest, and bits beyond 32 are dropped
   * (nodeos fc/io/raw.hpp, unpack of unsigned_int).
   */
  varuint32(): number {
    const start = this.offset;
    let value = 0;
    for (let shift = 0; this.offset < this.end; shift += 7) {
      const byte = this.bytes[this.offset++]!;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80 || shift === 28) return value >>> 0;
    }
    this.offset = start;
    throw this.failure('a truncated variable-length integer');
  }

  /**
   * Reads a signed LEB128 integer in zigzag coding (nodeos fc/io/raw.hpp, unpack of signed_int). Unlike an unsigned one it ends
   * with no certain byte. From the sixth byte on the node's processor shifts by the distance modulo 32, as JavaScript does.
   */
  varint32(): number {
    const start = this.offset;
    let value = 0;
    for (let shift = 0; this.offset < this.end; shift += 7) {
      const byte = this.bytes[this.offset++]!;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return (value >>> 1) ^ -(value & 1);
    }
    this.offset = start;
    throw this.failure('a truncated variable-length integer');
  }

  skip(count: number): void {
    this.take(count, 'the bytes to skip');
  }

  /** Reads `count` bytes and returns them as a view of the same memory. */
  slice(count: number): Buffer {
    const at = this.take(count, 'bytes');
    return this.bytes.subarray(at, at + count);
  }

  /** Reads a varuint32 length and that many bytes, and returns the bytes as a view of the same memory. */
  lengthPrefixed(): Buffer {
    const start = this.offset;
    const length = this.varuint32();
    if (length > this.end - this.offset) {
      this.offset = start;
      throw this.failure(`${length} length-prefixed bytes`);
    }
    return this.slice(length);
  }

  name(): string {
    return readName(this.bytes, this.take(8, 'a name'));
  }

  /** Advances by `count` bytes and returns the offset of the first one. */
  private take(count: number, what: string): number {
    const at = this.offset;
    if (count > this.end - at || count < 0) throw this.failure(what);
    this.offset = at + count;
    return at;
  }

  private failure(what: string): HistoryError {
    return new HistoryError(
      'DECODE_FAILED',
      `cannot read ${what} at byte ${this.offset}: ${this.end - this.offset} bytes left`,
    );
  }
}
