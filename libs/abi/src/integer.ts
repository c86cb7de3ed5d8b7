import type { ByteReader } from './byte-reader';
import { ExactInteger, type JsonValue } from '@antelope-history/json';

/**
 * Integers as the node prints them (nodeos libraries/libfc/src/io/json.cpp): a number up to 4294967295, a decimal
 * string above. Negative 64-bit integers are numbers of any length, because EOSIO 2.0 and Leap 4 check the upper bound
 * only.
 */

/** 2^53 / 2^32: a 64-bit integer whose high half is below this is exact in a double. */
const EXACT_HIGH = 0x200000;
const BILLION = 1_000_000_000;

export function readUint64(reader: ByteReader): JsonValue {
  const low = reader.uint32();
  const high = reader.uint32();
  return high === 0 ? low : decimal(high, low);
}

export function readInt64(reader: ByteReader): JsonValue {
  const low = reader.uint32();
  const high = reader.int32();
  if (high === 0) return low;
  if (high > 0) return decimal(high, low);
  if (high >= -EXACT_HIGH) return high * 0x100000000 + low;
  return new ExactInteger(`-${decimalOfNegated(high, low)}`);
}

/** 128-bit integers are always decimal strings. */
export function readUint128(reader: ByteReader): string {
  const low = reader.uint64();
  return String((reader.uint64() << 64n) | low);
}

export function readInt128(reader: ByteReader): string {
  const low = reader.uint64();
  return String((reader.int64() << 64n) | low);
}

/** Decimal digits of an unsigned 64-bit integer, given as two 32-bit halves; computed without BigInt. */
export function decimal(high: number, low: number): string {
  if (high < EXACT_HIGH) return String(high * 0x100000000 + low);
  let rest = high % BILLION;
  const upper = (high - rest) / BILLION;
  const middle = rest * 0x10000 + (low >>> 16);
  rest = middle % BILLION;
  const lower = rest * 0x10000 + (low & 0xffff);
  const lastDigits = lower % BILLION;
  const quotient = upper * 0x100000000 + ((middle - rest) / BILLION) * 0x10000 + (lower - lastDigits) / BILLION;
  return String(quotient) + String(lastDigits).padStart(9, '0');
}

/** Decimal digits of the absolute value of a negative 64-bit integer, given as two 32-bit halves. */
export function decimalOfNegated(high: number, low: number): string {
  return decimal((low === 0 ? -high : ~high) >>> 0, -low >>> 0);
}
