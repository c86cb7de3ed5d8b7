/** The largest that the node prints as a JSON number (nodeos libraries/libfc/src/io/json.cpp). */
const MAX_JSON_NUMBER = 0xffffffff;

/** A 64-bit integer by the node's rule: a number up to 4294967295, a decimal string above. */
export function renderInteger64(value: bigint | number): number | string {
  return value > MAX_JSON_NUMBER ? String(value) : Number(value);
}
