import type { ChainTraits } from '@antelope-history/chain-generator';
import type { AdapterSet } from '@antelope-history/processes';

/** How much a seed plays. The responses to whatever it plays are checked in the same way. */
export interface SeedSize {
  /** Replaces what the seed draws. */
  traits: Partial<ChainTraits>;
  maxFaults: number;
  /** The chain goes on for about this long. */
  spanMs: Record<AdapterSet, number>;
  /** Whether a trial follows the faults; on the embedded set, one node alone goes on. */
  hasTrials: boolean;
}

export const WHOLE_SEED: SeedSize = {
  traits: {},
  maxFaults: 7,
  spanMs: { embedded: 2_500, distributed: 12_000 },
  hasTrials: true,
};

/** For `npm test`, where a set of seeds has about a minute. */
export const SHORT_SEED: SeedSize = {
  traits: { blocks: 20, deepFork: 0 },
  maxFaults: 3,
  spanMs: { embedded: 1_200, distributed: 5_000 },
  hasTrials: false,
};

/** The seeds from `first` to `last`. */
export function seedRange(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
