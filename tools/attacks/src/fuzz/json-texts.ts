import fc from 'fast-check';

/**
 * JSON as text, as only text can have numbers beyond any type, keys twice, and depth without end. Nothing of it is meant
 * for a field in particular.
 */

const MAX_DEPTH = 30_000;

const HUGE_NUMBERS = [
  '1e309',
  '-1e309',
  '1e-400',
  '-0',
  '0.1',
  '2147483648',
  '4294967295',
  '4294967296',
  '-4294967296',
  '9007199254740991',
  '9007199254740992',
  '-9007199254740993',
  '18446744073709551615',
  '123456789012345678901234567890',
  `1${'0'.repeat(400)}`,
  `0.${'0'.repeat(400)}1`,
];

/** Strings that programs trip over. */
const ODD_STRINGS = [
  '',
  ' ',
  '\0',
  '\uD800',
  '\uFEFF',
  '\u202E',
  '__proto__',
  'constructor',
  'toString',
  '%00',
  '../../etc/passwd',
  "' OR 1=1 --",
  '{"$gt":""}',
  '${7*7}',
  'NaN',
  'null',
  'true',
];

const numbers = fc.oneof(
  fc.integer().map(String),
  fc.maxSafeInteger().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.constantFrom(...HUGE_NUMBERS),
);

const strings = fc
  .oneof(
    { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 80 }) },
    { weight: 4, arbitrary: fc.constantFrom(...ODD_STRINGS) },
    { weight: 2, arbitrary: fc.constantFrom(...HUGE_NUMBERS) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('a', '1', '9', 'ü', '\u0000', ':', ','), fc.nat(20_000))
        .map(([unit, times]) => unit.repeat(times)),
    },
  )
  .map((value) => JSON.stringify(value));

const nested = fc
  .tuple(fc.constantFrom(['[', ']'], ['{"a":', '}'], ['[{"a":', '}]']), fc.nat(MAX_DEPTH), fc.boolean())
  .map(([[open = '', close = ''], depth, closed]) => {
    const times = Math.floor(depth / open.length);
    return `${open.repeat(times)}1${closed ? close.repeat(times) : ''}`;
  });

/** Any JSON value, or nearly one. */
export const anyText = fc.oneof(
  { weight: 4, arbitrary: numbers },
  { weight: 6, arbitrary: strings },
  { weight: 2, arbitrary: fc.constantFrom('null', 'true', 'false', '[]', '{}', 'undefined', 'NaN', '') },
  { weight: 3, arbitrary: fc.json() },
  { weight: 1, arbitrary: nested },
);

/** An object of pairs of a key and a value's text; a key may come twice. */
export function objectText(pairs: readonly (readonly [key: string, value: string])[]): string {
  return `{${pairs.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`;
}
