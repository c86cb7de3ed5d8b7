import { nameFromString } from '@antelope-history/abi';

/** Text that a contract chooses; a `Buffer` where it is not valid UTF-8. */
export type Text = string | Buffer;

/** Writes the chain's binary encoding (fc::raw) into a growing buffer. */
export class ByteWriter {
  private bytes = Buffer.allocUnsafe(256);
  private length = 0;

  uint8(value: number): this {
    const at = this.reserve(1);
    this.bytes[at] = value;
    return this;
  }

  uint16(value: number): this {
    const at = this.reserve(2);
    this.bytes.writeUInt16LE(value, at);
    return this;
  }

  uint32(value: number): this {
    const at = this.reserve(4);
    this.bytes.writeUInt32LE(value, at);
    return this;
  }

  uint64(value: number | bigint): this {
    const at = this.reserve(8);
    this.bytes.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value)), at);
    return this;
  }

  float64(value: number): this {
    const at = this.reserve(8);
    this.bytes.writeDoubleLE(value, at);
    return this;
  }

  varuint(value: number): this {
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.uint8((rest & 0x7f) | 0x80);
    return this.uint8(rest);
  }

  name(text: string): this {
    return this.uint64(nameFromString(text));
  }

  raw(bytes: Uint8Array): this {
    const at = this.reserve(bytes.length);
    this.bytes.set(bytes, at);
    return this;
  }

  hex(digits: string): this {
    return this.raw(Buffer.from(digits, 'hex'));
  }

  /** Length-prefixed bytes. */
  blob(bytes: Uint8Array): this {
    return this.varuint(bytes.length).raw(bytes);
  }

  /** Length-prefixed text. */
  text(text: Text): this {
    return this.blob(typeof text === 'string' ? Buffer.from(text, 'utf8') : text);
  }

  list<T>(entries: readonly T[], write: (entry: T) => unknown): this {
    this.varuint(entries.length);
    for (const entry of entries) write(entry);
    return this;
  }

  /** The number of bytes written so far. */
  get offset(): number {
    return this.length;
  }

  /** The bytes written since offset `start`, valid until the next write. */
  since(start: number): Buffer {
    return this.bytes.subarray(start, this.length);
  }

  /** A copy of the written bytes. */
  take(): Buffer {
    return Buffer.from(this.bytes.subarray(0, this.length));
  }

  private reserve(count: number): number {
    const at = this.length;
    this.length += count;
    if (this.length > this.bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(this.length, this.bytes.length * 2));
      this.bytes.copy(grown, 0, 0, at);
      this.bytes = grown;
    }
    return at;
  }
}
