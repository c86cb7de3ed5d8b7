import { hash } from 'node:crypto';

/** Base58 (Bitcoin's alphabet) with the four ripemd160 checksum bytes of keys and signatures. */

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const DIGIT_BY_CODE = Int8Array.from({ length: 128 }, (_, code) => ALPHABET.indexOf(String.fromCharCode(code)));
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
  let digits = '';
  for (let j = limbs.length - 1; j >= 0; j--) digits += limbDigits(limbs[j]!);
  return '1'.repeat(leadingZeros(bytes)) + digits.replace(/^1+/, '');
}

function limbDigits(limb: number): string {
  let digits = '';
  for (let i = 0; i < LIMB_DIGITS; i++) {
    digits = ALPHABET[limb % 58]! + digits;
    limb = (limb / 58) | 0;
  }
  return digits;
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
