import { isInteger, parse } from 'lossless-json';
import { ExactInteger, stringifyJson, type JsonValue } from '@antelope-history/json';

/**
 * Parses JSON with every digit and the order of keys, so that printing the value gives the same text. Throws for text
 * where this is impossible (white space, other number formats, integer-like keys), so that a comparison ignores nothing.
 */
export function parseExactJson(text: string): JsonValue {
  return parseCommonJson(text) ?? parseAnyJson(text);
}

/** Where JSON.parse and JSON.stringify keep the text, they take a fraction of the time; undefined where they may not. */
function parseCommonJson(text: string): JsonValue | undefined {
  if (MAY_HAVE_LONG_NUMBER.test(text)) return undefined;
  try {
    const value = JSON.parse(text) as JsonValue;
    return JSON.stringify(value) === text ? value : undefined;
  } catch {
    // The other parser describes the error.
    return undefined;
  }
}

/** Numbers of fewer digits are safe integers; a match within a string costs time only. */
const MAY_HAVE_LONG_NUMBER = /(?:^|[:,[])-?\d{16}/;

function parseAnyJson(text: string): JsonValue {
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
