/** Set by `npm run test:long`. */
const SIZE_VARIABLE = 'HISTORY_TEST_SIZE';

/**
 * The size of a test that repeats the same case on generated input: `usual` in `npm test`, `long` in
 * `npm run test:long`. Both run the same cases; the seed decides which inputs come first.
 */
export function testSize<Size>({ usual, long }: { usual: Size; long: Size }): Size {
  return process.env[SIZE_VARIABLE] === 'long' ? long : usual;
}
