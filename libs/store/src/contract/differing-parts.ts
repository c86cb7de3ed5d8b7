import { isDeepStrictEqual } from 'node:util';

const MAX_ELEMENTS = 3;
const MAX_CHARACTERS = 80;

/**
 * Two values that differ, without what is equal in both: of a list its first differing elements, of bytes and texts what
 * follows the first difference. An assertion prints whole values otherwise, which exhausts the memory of a Jest worker when
 * rows have megabytes.
 */
export function differingParts(actual: unknown, expected: unknown): [actual: unknown, expected: unknown] {
  if (Buffer.isBuffer(actual) && Buffer.isBuffer(expected)) {
    return differingTexts(actual.toString('hex'), expected.toString('hex'), 'hex');
  }
  if (typeof actual === 'string' && typeof expected === 'string') return differingTexts(actual, expected, 'text');
  if (Array.isArray(actual) && Array.isArray(expected)) return differingElements(actual, expected);
  if (isPlain(actual) && isPlain(expected)) return differingProperties(actual, expected, Infinity);
  return [actual, expected];
}

function differingTexts(actual: string, expected: string, kind: 'hex' | 'text'): [unknown, unknown] {
  if (Math.max(actual.length, expected.length) <= MAX_CHARACTERS) return [actual, expected];
  let at = 0;
  while (actual[at] === expected[at]) at++;
  const part = (text: string) => ({ length: text.length, at, [kind]: text.slice(at, at + MAX_CHARACTERS) });
  return [part(actual), part(expected)];
}

function differingElements(actual: readonly unknown[], expected: readonly unknown[]): [unknown, unknown] {
  const [left, right] = differingProperties(actual, expected, MAX_ELEMENTS);
  return [
    { length: actual.length, ...left },
    { length: expected.length, ...right },
  ];
}

/** `most`: how many of the differing properties. The indices of a list are its properties. */
function differingProperties(actual: object, expected: object, most: number): [actual: object, expected: object] {
  const [left, right] = [new Map(Object.entries(actual)), new Map(Object.entries(expected))];
  const keys = [...new Set([...left.keys(), ...right.keys()])];
  const differing = keys.filter((key) => !isDeepStrictEqual(left.get(key), right.get(key))).slice(0, most);
  const parts = differing.map((key) => ({ key, parts: differingParts(left.get(key), right.get(key)) }));
  return [
    Object.fromEntries(parts.flatMap(({ key, parts: [one] }) => (left.has(key) ? [[key, one]] : []))),
    Object.fromEntries(parts.flatMap(({ key, parts: [, other] }) => (right.has(key) ? [[key, other]] : []))),
  ];
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
