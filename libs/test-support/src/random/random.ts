/** Returns an integer from 0 to `limit` - 1. */
export type Random = (limit: number) => number;

/** A seeded random generator (mulberry32) for tests without fast-check. The same seed gives the same sequence. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}

/** One of `values`, of which there must be one. */
export function pick<T>(random: Random, values: readonly T[]): T {
  return values[random(values.length)] as T;
}
