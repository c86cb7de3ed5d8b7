import { isInteger, parse } from 'lossless-json';
import { ExactInteger, stringifyJson, type JsonValue } from '@antelope-history/json';

/**
 * Parses JSON with every digit and the order of keys, so that printing the value gives the same text. Throws for text
 * where this is impossible (white space, other number formats, integer-like keys), so that a comparison ignores nothing.
 */
export function parseExactJson(text: string): JsonValue {
  const value = parse(text, null, toNumber) as JsonValue;
  if (stringifyJson(value) !== text) throw new Error(`JSON that changes when printed: ${text.slice(0, 200)}`);
  return value;
}

function toNumber(digits: string): number | ExactInteger {
  const number = Number(digits);
  return !isInteger(digits) || Number.isSafeInteger(number) ? number : new ExactInteger(digits);
}
