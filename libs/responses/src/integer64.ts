/** Largest integer that nodeos prints as a JSON number (libraries/libfc/src/io/json.cpp). */
const MAX_JSON_NUMBER = 0xffffffff;

/** Renders a 64-bit integer by the rule of nodeos: a number up to 4294967295, a decimal string above. */
export function renderInteger64(value: bigint | number): number | string {
  return value > MAX_JSON_NUMBER ? String(value) : Number(value);
}

/** The JSON text of `renderInteger64`. */
export function writeInteger64(value: bigint | number): string {
  return value > MAX_JSON_NUMBER ? `"${value}"` : String(value);
}
