import { isInteger, parse } from 'lossless-json';
import { ExactInteger, stringifyJson, type JsonValue } from '@antelope-history/json';

/**
 * Reads JSON without losing a digit or moving a key: printed again it is the same text. Throws for a text that would
 * not be (white space, exotic numbers, integer-like keys), so that no comparison is ever made on less than the text.
 */
export function parseExactJson(text: string): JsonValue {
  const value = parse(text, null, toNumber) as JsonValue;
  if (stringifyJson(value) !== text) throw new Error(`JSON that does not print as it was read: ${text.slice(0, 200)}`);
  return value;
}

function toNumber(digits: string): number | ExactInteger {
  const number = Number(digits);
  return !isInteger(digits) || Number.isSafeInteger(number) ? number : new ExactInteger(digits);
}
