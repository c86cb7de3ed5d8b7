import { isInteger, parse } from 'lossless-json';
import { ExactInteger, stringifyJson, type JsonValue } from '@antelope-history/json';

/**
 * Parses JSON with every digit and the order of keys, so that printing the value gives the same text. Throws for text
 * where this is impossible (white space, other number formats, integer-like keys), so that a comparison ignores nothing.
 */
export function parseExactJson(text: string): JsonValue {
  const value = parse(text, null, toNumber) as JsonValue;
  if (stringifyJson(value) !== withShortEscapes(text))
    throw new Error(`JSON that changes when printed: ${text.slice(0, 200)}`);
  return value;
}

/** The long escapes of characters that have a short one: Spring writes `\\u0008`, other nodes write `\\b`. */
const SHORT_ESCAPES: Record<string, string> = { '\\u0008': '\\b', '\\u000c': '\\f' };

/** The text with short escapes where JSON has them; an escaped backslash before `u` is no escape. */
function withShortEscapes(text: string): string {
  return text.replaceAll(/\\(?:u[0-9a-f]{4}|.)/g, (escape) => SHORT_ESCAPES[escape] ?? escape);
}

function toNumber(digits: string): number | ExactInteger {
  const number = Number(digits);
  return !isInteger(digits) || Number.isSafeInteger(number) ? number : new ExactInteger(digits);
}
