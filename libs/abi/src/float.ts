import type { ByteReader } from './byte-reader';

/**
 * Floating-point numbers as the node prints them: strings with 17 decimals (nodeos libraries/libfc/src/variant.cpp, C++
 * streams with std::fixed).
 */

const DECIMALS = 17;
/** Number.toFixed prints an exponent for values from this one on. */
const TO_FIXED_END = 1e21;
/** A double lies halfway between two numbers of 17 decimals if its product with 2^18 is an odd integer. */
const HALF_WAY = 2 ** 18;

export function readFloat32(reader: ByteReader): string {
  return floatToString(reader.slice(4).readFloatLE(0), isNegative(reader));
}

export function readFloat64(reader: ByteReader): string {
  return floatToString(reader.slice(8).readDoubleLE(0), isNegative(reader));
}

/** Returns `0x` and the hex digits of the 16 bytes in the chain's order. */
export function readFloat128(reader: ByteReader): string {
  return `0x${reader.slice(16).toString('hex')}`;
}

/** Sign bit of the little-endian number that was read last. JavaScript does not preserve the sign of NaN. */
function isNegative(reader: ByteReader): boolean {
  return reader.bytes[reader.offset - 1]! >= 0x80;
}

function floatToString(value: number, negative: boolean): string {
  const sign = negative ? '-' : '';
  const magnitude = Math.abs(value);
  if (Number.isNaN(value)) return `${sign}nan`;
  if (magnitude === Infinity) return `${sign}inf`;
  if (magnitude >= TO_FIXED_END) return `${sign}${BigInt(magnitude)}.${'0'.repeat(DECIMALS)}`;
  return sign + (isHalfWay(magnitude) ? roundHalfToEven(magnitude) : magnitude.toFixed(DECIMALS));
}

function isHalfWay(magnitude: number): boolean {
  return (magnitude * HALF_WAY) % 2 === 1;
}

/** C++ rounds a halfway number to the even neighbour; Number.toFixed rounds it away from zero. */
function roundHalfToEven(magnitude: number): string {
  const doubled = BigInt(magnitude * HALF_WAY) * 5n ** BigInt(DECIMALS);
  const floor = doubled >> 1n;
  const digits = String(floor + (floor & 1n)).padStart(DECIMALS + 1, '0');
  return `${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`;
}
