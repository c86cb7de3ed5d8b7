/** The least and the greatest seed of a run, which is drawn below 2^31 when none is given. */
export const SEEDS = [0, Number.MAX_SAFE_INTEGER] as const;
