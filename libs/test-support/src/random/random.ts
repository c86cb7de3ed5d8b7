/** Whole numbers from 0 to below `limit`, the same in the same order for the same seed. */
export type Random = (limit: number) => number;

/** A small generator of chance that one seed gives again (mulberry32): for what is not a property test of fast-check's. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}
