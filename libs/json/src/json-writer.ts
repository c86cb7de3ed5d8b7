import { ExactInteger, type JsonValue, OrderedObject } from './json-value';

const FIRST_CHUNK_BYTES = 16 * 1024;
const MAX_CHUNK_BYTES = 256 * 1024;
/** Longer texts are copied by Node.js, shorter ones here: one call costs as much as this many characters. */
const LONG_TEXT = 28;
/** The same for bytes that become hex. */
const LONG_HEX = 128;
/** The same for strings, whose characters have to be looked at. */
const LONG_STRING = 256;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Most bytes of a UTF-16 code unit in UTF-8. */
const UTF8_BYTES = 3;
const MINUS = 0x2d;
const ZERO = 0x30;
const FALSE = jsonText('false');
const TRUE = jsonText('true');
const NULL = jsonText('null');
/** The two hex digits of each byte. */
const HIGH_DIGITS = new Uint8Array(256);
const LOW_DIGITS = new Uint8Array(256);
for (let byte = 0; byte < 256; byte++) {
  HIGH_DIGITS[byte] = (byte >> 4).toString(16).charCodeAt(0);
  LOW_DIGITS[byte] = (byte & 0x0f).toString(16).charCodeAt(0);
}
/** Integers beyond it are converted by Node.js: bitwise operators would lose bits. */
const MAX_INT32 = 0x7fffffff;
const MAX_INT32_DIGITS = 10;
const NO_BYTES = Buffer.alloc(0);

/**
 * JSON text of ASCII characters as bytes, for the constant parts of responses: `JsonWriter.bytes` copies any number of bytes in the
 * time in which `JsonWriter.raw` copies seven characters.
 */
export function jsonText(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

/**
 * Writes JSON text as bytes, one after another. A response of a thousand rows has tens of thousands of names, numbers and digests:
 * as strings they are joined, copied into one and converted, and the collector of garbage takes as long as that.
 *
 * The bytes are in chunks, so that none is copied when the text grows: a part of any length can be written and taken back.
 */
export class JsonWriter {
  private readonly full: Buffer[] = [];
  private fullBytes = 0;
  private chunk: Buffer = NO_BYTES;
  private at = 0;

  /** Bytes that were written. */
  get length(): number {
    return this.fullBytes + this.at;
  }

  /** Writes JSON text of ASCII characters: punctuation, names of fields and of the chain, numbers, digests. */
  raw(text: string): this {
    const { length } = text;
    if (this.at + length > this.chunk.length) this.reserve(length);
    const { chunk, at } = this;
    if (length > LONG_TEXT) chunk.write(text, at, length, 'latin1');
    else for (let index = 0; index < length; index++) chunk[at + index] = text.charCodeAt(index);
    this.at = at + length;
    return this;
  }

  /** Writes bytes that are JSON text. */
  bytes(text: Buffer): this {
    const { length } = text;
    if (this.at + length > this.chunk.length) this.reserve(length);
    this.chunk.set(text, this.at);
    this.at += length;
    return this;
  }

  /** Writes bytes as a string of hex digits. */
  hex(bytes: Buffer): this {
    const { length } = bytes;
    if (length > LONG_HEX) return this.raw('"').raw(bytes.toString('hex')).raw('"');
    if (this.at + 2 * length + 2 > this.chunk.length) this.reserve(2 * length + 2);
    const { chunk } = this;
    let { at } = this;
    chunk[at++] = QUOTE;
    for (let index = 0; index < length; index++) {
      const byte = bytes[index] as number;
      chunk[at++] = HIGH_DIGITS[byte] as number;
      chunk[at++] = LOW_DIGITS[byte] as number;
    }
    chunk[at++] = QUOTE;
    this.at = at;
    return this;
  }

  /** Writes an integer that a double represents. */
  integer(value: number): this {
    if (value > MAX_INT32 || value < -MAX_INT32) return this.raw(String(value));
    if (this.at + MAX_INT32_DIGITS + 1 > this.chunk.length) this.reserve(MAX_INT32_DIGITS + 1);
    const { chunk } = this;
    let rest = value;
    if (value < 0) {
      chunk[this.at++] = MINUS;
      rest = -value;
    }
    let at = (this.at += digitsOf(rest));
    do {
      const tenth = (rest / 10) | 0;
      chunk[--at] = ZERO + rest - tenth * 10;
      rest = tenth;
    } while (rest > 0);
    return this;
  }

  /** Writes a string of any characters, as JSON.stringify does. */
  string(text: string): this {
    const { length } = text;
    if (length > LONG_STRING) return this.unicode(JSON.stringify(text));
    if (this.at + length + 2 > this.chunk.length) this.reserve(length + 2);
    const { chunk } = this;
    let { at } = this;
    chunk[at++] = QUOTE;
    for (let index = 0; index < length; index++) {
      const code = text.charCodeAt(index);
      if (!isPlain(code)) return this.unicode(JSON.stringify(text));
      chunk[at++] = code;
    }
    chunk[at++] = QUOTE;
    this.at = at;
    return this;
  }

  /** Writes bytes as a string if they are short and each is a character that JSON prints as it is. Returns whether they are. */
  plain(bytes: Buffer): boolean {
    const { length } = bytes;
    if (length > LONG_STRING) return false;
    if (this.at + length + 2 > this.chunk.length) this.reserve(length + 2);
    const { chunk } = this;
    let { at } = this;
    chunk[at++] = QUOTE;
    for (let index = 0; index < length; index++) {
      const byte = bytes[index] as number;
      if (!isPlain(byte)) return false;
      chunk[at++] = byte;
    }
    chunk[at++] = QUOTE;
    this.at = at;
    return true;
  }

  /** Writes a decoded value, as `stringifyJson` prints it. */
  value(value: JsonValue): this {
    if (typeof value === 'string') return this.string(value);
    if (typeof value === 'number') return this.number(value);
    if (value === null) return this.bytes(NULL);
    if (typeof value === 'boolean') return this.bytes(value ? TRUE : FALSE);
    if (value instanceof ExactInteger) return this.raw(value.digits);
    if (Array.isArray(value)) return this.array(value, (element) => this.value(element));
    return value instanceof OrderedObject ? this.members(value.entries) : this.members(Object.entries(value));
  }

  /** Writes an array whose elements `write` writes. */
  array<T>(elements: readonly T[], write: (element: T) => unknown): this {
    this.raw('[');
    for (let index = 0; index < elements.length; index++) {
      if (index > 0) this.raw(',');
      write(elements[index] as T);
    }
    return this.raw(']');
  }

  /** A copy of what was written from a position on, which stays what it is when the text is cut. */
  copyFrom(start: number): Buffer {
    if (start >= this.fullBytes) return Buffer.from(this.chunk.subarray(start - this.fullBytes, this.at));
    return Buffer.concat(this.pieces()).subarray(start);
  }

  /** Takes back what was written after the first `length` bytes. */
  truncate(length: number): void {
    while (length < this.fullBytes) {
      this.chunk = this.full.pop() as Buffer;
      this.fullBytes -= this.chunk.length;
    }
    this.at = length - this.fullBytes;
  }

  /** What was written. Writing must not go on while the pieces are used. */
  pieces(): Buffer[] {
    return this.at === 0 ? [...this.full] : [...this.full, this.chunk.subarray(0, this.at)];
  }

  private number(value: number): this {
    if (Number.isSafeInteger(value)) return this.integer(value);
    return Number.isFinite(value) ? this.raw(String(value)) : this.bytes(NULL);
  }

  private members(entries: Iterable<[string, JsonValue]>): this {
    this.raw('{');
    let isFirst = true;
    for (const [key, value] of entries) {
      if (!isFirst) this.raw(',');
      isFirst = false;
      this.string(key).raw(':').value(value);
    }
    return this.raw('}');
  }

  private unicode(text: string): this {
    const most = text.length > LONG_STRING ? Buffer.byteLength(text) : text.length * UTF8_BYTES;
    if (this.at + most > this.chunk.length) this.reserve(most);
    this.at += this.chunk.write(text, this.at);
    return this;
  }

  /** Begins a chunk that has room for `bytes`. */
  private reserve(bytes: number): void {
    if (this.at > 0) {
      this.full.push(this.chunk.subarray(0, this.at));
      this.fullBytes += this.at;
    }
    // Each chunk is as long as all before it, so that at most half of the memory of a long text is unused.
    const usual = Math.min(MAX_CHUNK_BYTES, Math.max(FIRST_CHUNK_BYTES, this.fullBytes));
    this.chunk = Buffer.allocUnsafeSlow(Math.max(bytes, usual));
    this.at = 0;
  }
}

/** Whether a character is in ASCII and needs no escape. */
function isPlain(code: number): boolean {
  return code >= 0x20 && code <= 0x7e && code !== QUOTE && code !== BACKSLASH;
}

function digitsOf(value: number): number {
  let digits = 1;
  for (let bound = 10; digits < MAX_INT32_DIGITS && value >= bound; bound *= 10) digits++;
  return digits;
}
