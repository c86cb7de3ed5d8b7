import { RecordingError } from './recording-error';

/** Reads nodeos' packed data forward; a read past the end is a `RecordingError`. */
export class ByteCursor {
  offset: number;

  constructor(
    private readonly bytes: Buffer,
    start = 0,
    private readonly end = bytes.length,
  ) {
    this.offset = start;
  }

  get atEnd(): boolean {
    return this.offset >= this.end;
  }

  /** Skips `length` bytes and returns their offset. */
  skip(length: number): number {
    const start = this.offset;
    if (length > this.end - start) throw new RecordingError(`${length} bytes expected at offset ${start}, not there`);
    this.offset = start + length;
    return start;
  }

  uint8(): number {
    return this.bytes.readUInt8(this.skip(1));
  }

  uint32(): number {
    return this.bytes.readUInt32LE(this.skip(4));
  }

  /** Lengths of traces and deltas are packed as up to 64 bits (nodeos state_history_plugin serialization.hpp). */
  varuint(): number {
    let value = 0;
    for (let scale = 1; scale <= 2 ** 49; scale *= 128) {
      const byte = this.uint8();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    throw new RecordingError(`A length at offset ${this.offset} has too many bytes`);
  }

  hex(length: number): string {
    const start = this.skip(length);
    return this.bytes.toString('hex', start, start + length);
  }

  /** Length-prefixed text. */
  text(): string {
    const length = this.varuint();
    const start = this.skip(length);
    return this.bytes.toString('utf8', start, start + length);
  }
}
