/** A buffer that has grown beyond this is given up by `clear`. */
const MAX_KEPT_BYTES = 1024 * 1024;

/** Appends packed fields to one growing buffer; `view` returns parts of it. */
export class RecordWriter {
  private buffer: Buffer;
  private end = 0;

  constructor(private readonly initialBytes: number) {
    this.buffer = allocate(initialBytes);
  }

  get offset(): number {
    return this.end;
  }

  uint8(value: number): void {
    this.reserve(1);
    this.buffer[this.end++] = value;
  }

  /** Replaces a byte that was written before, at `offset`. */
  replace(offset: number, value: number): void {
    this.buffer[offset] = value;
  }

  uint32(value: number): void {
    this.reserve(4);
    this.end = this.buffer.writeUInt32LE(value, this.end);
  }

  /** A whole number up to 2^53 - 1 in eight bytes. */
  uint64(value: number): void {
    this.uint32(value % 2 ** 32);
    this.uint32(Math.floor(value / 2 ** 32));
  }

  /** A whole number up to 2^53 - 1, seven bits per byte, lowest first. */
  varuint(value: number): void {
    this.reserve(8);
    let rest = value;
    while (rest > 0x7f) {
      this.buffer[this.end++] = (rest % 0x80) | 0x80;
      rest = rest > 0x7fffffff ? Math.floor(rest / 0x80) : rest >>> 7;
    }
    this.buffer[this.end++] = rest;
  }

  /** Copies `source[start, end)`. */
  copy(source: Buffer, start: number, end: number): void {
    const length = end - start;
    this.reserve(length);
    if (length <= 24) {
      // For a few bytes a loop is faster than `Buffer.copy`; most fields are names and sequences.
      for (let index = start; index < end; index++) this.buffer[this.end++] = source[index] as number;
      return;
    }
    source.copy(this.buffer, this.end, start, end);
    this.end += length;
  }

  lengthPrefixed(source: Buffer, start = 0, end = source.length): void {
    this.varuint(end - start);
    this.copy(source, start, end);
  }

  /** Copies text of one byte per character. */
  latin1(text: string): void {
    this.reserve(text.length);
    this.end += this.buffer.write(text, this.end, 'latin1');
  }

  /** The bytes written since offset `start`. They stay valid when the writer grows, and become invalid when it is cleared. */
  view(start: number): Buffer {
    return this.buffer.subarray(start, this.end);
  }

  /** Begins anew, mostly in the same memory. */
  clear(): void {
    this.end = 0;
    if (this.buffer.length > MAX_KEPT_BYTES) this.buffer = allocate(this.initialBytes);
  }

  private reserve(bytes: number): void {
    if (this.end + bytes <= this.buffer.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.buffer.length * 2, this.end + bytes));
    this.buffer.copy(grown, 0, 0, this.end);
    this.buffer = grown;
  }
}

function allocate(bytes: number): Buffer {
  return Buffer.allocUnsafeSlow(Math.max(64, bytes));
}
