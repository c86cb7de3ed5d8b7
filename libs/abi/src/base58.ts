import { hash } from 'node:crypto';

/** Base58 (Bitcoin's alphabet) with the four ripemd160 checksum bytes of keys and signatures. */

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const DIGIT_BY_CODE = Int8Array.from({ length: 128 }, (_, code) => ALPHABET.indexOf(String.fromCharCode(code)));
const ALPHABET_CODES = Buffer.from(ALPHABET, 'latin1');
const CHECKSUM_BYTES = 4;
/** 58^5: five digits per limb are the maximum for which a limb times 2^16 is exact in a double. */
const LIMB = 656_356_768;
const LIMB_DIGITS = 5;

/** Encodes `data` and its checksum. `suffix` (the type: "K1", "R1", "WA") is an input of the checksum only. */
export function encodeBase58Check(data: Buffer, suffix: string): string {
  return encodeBase58(Buffer.concat([data, checksum(data, suffix)]));
}

/** Decodes a base58 text. Returns its data, or the invalid property: "base58", "length" or "checksum". */
export function decodeBase58Check(text: string, suffix: string): Buffer | 'base58' | 'length' | 'checksum' {
  const bytes = decodeBase58(text);
  if (bytes === undefined) return 'base58';
  if (bytes.length <= CHECKSUM_BYTES) return 'length';
  const data = bytes.subarray(0, -CHECKSUM_BYTES);
  return checksum(data, suffix).equals(bytes.subarray(-CHECKSUM_BYTES)) ? data : 'checksum';
}

function checksum(data: Buffer, suffix: string): Buffer {
  const digest = hash('ripemd160', Buffer.concat([data, Buffer.from(suffix)]), 'hex');
  return Buffer.from(digest.slice(0, 2 * CHECKSUM_BYTES), 'hex');
}

/** The time grows with the square of the length, so callers must limit the length. */
function encodeBase58(bytes: Buffer): string {
  const limbs = bytes.length <= SHORT_BYTES ? shortLimbs(bytes) : limbsOf(bytes);
  return '1'.repeat(leadingZeros(bytes)) + digitsOf(limbs);
}

/** Bytes of a usual signature with its checksum, which are more than those of a key; their 16-bit words and their limbs. */
const SHORT_BYTES = 69;
const SHORT_WORDS = 35;
const SHORT_LIMBS = 19;
/** The limbs of 2^16 to the power of each word's place, the lowest limb first. */
const WEIGHTS = weightsOfWords();
const shortSums = new Float64Array(SHORT_LIMBS);

function weightsOfWords(): Float64Array {
  const weights = new Float64Array(SHORT_WORDS * SHORT_LIMBS);
  weights[0] = 1;
  for (let at = SHORT_LIMBS; at < weights.length; at += SHORT_LIMBS) {
    for (let j = 0; j < SHORT_LIMBS; j++) weights[at + j] = weights[at + j - SHORT_LIMBS]! * 0x10000;
    carryLimbs(weights.subarray(at, at + SHORT_LIMBS));
  }
  return weights;
}

/**
 * The limbs of a usual signature or of a key, valid until the next call. Words times weights are added without a carry in
 * between: each division of `limbsOf` waits for the one before, which is most of its time. The sums are below 2^51.
 */
function shortLimbs(bytes: Buffer): Float64Array {
  shortSums.fill(0);
  let weight = 0;
  for (let end = bytes.length; end > 0; end -= 2) {
    const word = end === 1 ? bytes[0]! : (bytes[end - 2]! << 8) | bytes[end - 1]!;
    for (let j = 0; j < SHORT_LIMBS; j++) shortSums[j]! += word * WEIGHTS[weight + j]!;
    weight += SHORT_LIMBS;
  }
  carryLimbs(shortSums);
  return shortSums;
}

/** Carries what exceeds a limb to the next one. */
function carryLimbs(limbs: Float64Array): void {
  let carry = 0;
  for (let j = 0; j < limbs.length; j++) {
    const value = limbs[j]! + carry;
    carry = Math.floor(value / LIMB);
    limbs[j] = value - carry * LIMB;
  }
}

function limbsOf(bytes: Buffer): number[] {
  const limbs: number[] = [];
  for (let i = 0; i < bytes.length; i += 2) {
    const single = i + 1 === bytes.length;
    const factor = single ? 0x100 : 0x10000;
    let carry = single ? bytes[i]! : (bytes[i]! << 8) | bytes[i + 1]!;
    for (let j = 0; j < limbs.length; j++) {
      const value = limbs[j]! * factor + carry;
      carry = (value / LIMB) | 0;
      limbs[j] = value - carry * LIMB;
    }
    if (carry > 0) limbs.push(carry);
  }
  return limbs;
}

/** The digits of limbs without leading zeros. */
function digitsOf(limbs: ArrayLike<number>): string {
  const digits = Buffer.allocUnsafe(limbs.length * LIMB_DIGITS);
  let at = digits.length;
  for (let j = 0; j < limbs.length; j++) {
    let rest = limbs[j]! | 0;
    for (let i = 0; i < LIMB_DIGITS; i++) {
      const quotient = (rest / 58) | 0;
      digits[--at] = ALPHABET_CODES[rest - quotient * 58]!;
      rest = quotient;
    }
  }
  while (digits[at] === ALPHABET_CODES[0]) at++;
  return digits.toString('latin1', at);
}

function leadingZeros(bytes: Buffer): number {
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++;
  return zeros;
}

function decodeBase58(text: string): Buffer | undefined {
  const littleEndian: number[] = [];
  for (let i = 0; i < text.length; i++) {
    let carry = DIGIT_BY_CODE[text.charCodeAt(i)] ?? -1;
    if (carry < 0) return undefined;
    for (let j = 0; j < littleEndian.length; j++) {
      carry += littleEndian[j]! * 58;
      littleEndian[j] = carry & 0xff;
      carry >>= 8;
    }
    if (carry > 0) littleEndian.push(carry);
  }
  for (let i = 0; text[i] === '1'; i++) littleEndian.push(0);
  return Buffer.from(littleEndian.reverse());
}
