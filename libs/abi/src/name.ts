import { HistoryError } from '@antelope-history/schemas';

/**
 * Account, action and table names: up to twelve characters of 5 bits and a thirteenth of 4 bits in a 64-bit integer, the
 * first character in the highest bits. Trailing dots are not shown (nodeos libraries/chain/name.cpp).
 */

const ALPHABET = '.12345abcdefghijklmnopqrstuvwxyz';
const DOT = 0x2e;

/**
 * The 64-bit value of a name.
 *
 * Throws `INVALID_NAME` for texts that nodeos' name::set refuses: more than 13 characters, characters other than a-z,
 * 1-5 and the dot, a dot at the end, or a thirteenth character beyond j.
 */
export function nameFromString(text: string): bigint {
  const halves = encodeName(text);
  if (halves === undefined) {
    throw new HistoryError(
      'INVALID_NAME',
      `"${text.slice(0, 32)}" is not a name: use at most 13 characters of a-z, 1-5 and the dot, ` +
        'no dot at the end, and nothing beyond j as the thirteenth',
    );
  }
  return (BigInt(halves.high) << 32n) | BigInt(halves.low);
}

/** Whether `nameFromString` accepts the text. The empty text is the name 0. */
export function isName(text: string): boolean {
  return encodeName(text) !== undefined;
}

/** Writes a name as 8 little-endian bytes, the chain's form. Throws like `nameFromString`. */
export function writeName(text: string, into: Buffer, offset: number): void {
  into.writeBigUInt64LE(nameFromString(text), offset);
}

/** Returns a name as 8 big-endian bytes, whose order is the order of names. Throws like `nameFromString`. */
export function nameToSortableBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigUInt64BE(nameFromString(text));
  return bytes;
}

/**
 * A cache of decoded names, because most actions of a busy chain use the same few hundred names. The table is
 * direct-mapped (a slot holds the last name that hashed to it), so that its size is fixed. Equal names share one string.
 */
const CACHE_SLOTS = 1 << 14;
const cachedLow = new Uint32Array(CACHE_SLOTS);
const cachedHigh = new Uint32Array(CACHE_SLOTS);
const cachedText: string[] = Array.from({ length: CACHE_SLOTS }, () => '');

/** Reads the name in the 8 little-endian bytes at `offset`. The caller checks that `bytes` has them. */
export function readName(bytes: Buffer, offset: number): string {
  const low =
    (bytes[offset]! | (bytes[offset + 1]! << 8) | (bytes[offset + 2]! << 16) | (bytes[offset + 3]! << 24)) >>> 0;
  const high =
    (bytes[offset + 4]! | (bytes[offset + 5]! << 8) | (bytes[offset + 6]! << 16) | (bytes[offset + 7]! << 24)) >>> 0;
  const slot = (Math.imul(low ^ Math.imul(high, 0x9e3779b1), 0x85ebca6b) >>> 18) & (CACHE_SLOTS - 1);
  if (cachedLow[slot] === low && cachedHigh[slot] === high) return cachedText[slot]!;
  const text = decodeName(low, high);
  cachedLow[slot] = low;
  cachedHigh[slot] = high;
  cachedText[slot] = text;
  return text;
}

function decodeName(low: number, high: number): string {
  let text =
    symbol(high >>> 27) +
    symbol(high >>> 22) +
    symbol(high >>> 17) +
    symbol(high >>> 12) +
    symbol(high >>> 7) +
    symbol(high >>> 2) +
    symbol((high << 3) | (low >>> 29)) +
    symbol(low >>> 24) +
    symbol(low >>> 19) +
    symbol(low >>> 14) +
    symbol(low >>> 9) +
    symbol(low >>> 4) +
    symbol(low & 0x0f);
  let length = text.length;
  while (length > 0 && text.charCodeAt(length - 1) === DOT) length--;
  if (length < text.length) text = text.slice(0, length);
  return text;
}

function symbol(bits: number): string {
  return ALPHABET[bits & 0x1f]!;
}

function encodeName(text: string): { high: number; low: number } | undefined {
  const length = text.length;
  if (length > 13 || (length > 0 && text.charCodeAt(length - 1) === DOT)) return undefined;
  let high = 0;
  let low = 0;
  for (let i = 0; i < length; i++) {
    const bits = symbolBits(text.charCodeAt(i));
    if (bits < 0 || (i === 12 && bits > 0x0f)) return undefined;
    if (i < 6) high |= bits << (27 - 5 * i);
    else if (i === 6) {
      high |= bits >>> 3;
      low |= bits << 29;
    } else if (i < 12) low |= bits << (59 - 5 * i);
    else low |= bits;
  }
  return { high: high >>> 0, low: low >>> 0 };
}

function symbolBits(code: number): number {
  if (code >= 0x61 && code <= 0x7a) return code - 0x61 + 6;
  if (code >= 0x31 && code <= 0x35) return code - 0x31 + 1;
  return code === DOT ? 0 : -1;
}
