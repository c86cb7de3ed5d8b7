import type { JsonWriter } from '@antelope-history/json';

/** Largest integer that nodeos prints as a JSON number (libraries/libfc/src/io/json.cpp). */
const MAX_JSON_NUMBER = 0xffffffff;

/** Renders a 64-bit integer by the rule of nodeos: a number up to 4294967295, a decimal string above. */
export function renderInteger64(value: bigint | number): number | string {
  return value > MAX_JSON_NUMBER ? String(value) : Number(value);
}

/** Writes what `renderInteger64` renders. */
export function writeInteger64(out: JsonWriter, value: bigint | number): JsonWriter {
  // Comparisons and digits of a bigint take several times as long as those of a number.
  const number = typeof value === 'number' ? value : Number(value);
  if (number <= MAX_JSON_NUMBER)
    return number >= Number.MIN_SAFE_INTEGER ? out.integer(number) : out.raw(String(value));
  return out
    .raw('"')
    .raw(String(number <= Number.MAX_SAFE_INTEGER ? number : value))
    .raw('"');
}
