import { testSize } from '@antelope-history/test-support/random';
import { playSeeds } from './play-seeds';
import { seedRange, SHORT_SEED, WHOLE_SEED } from './seed-size';

/** Chosen from the first 44, so that each kind of fault occurs. Even seeds use threads. */
const { seeds, size } = testSize({
  usual: { seeds: [7, 20, 32, 35, 39], size: SHORT_SEED },
  long: { seeds: seedRange(1, 500), size: WHOLE_SEED },
});
const FAULTS = [
  'all nodes changed',
  'clock stepped',
  'disk full',
  'message truncated',
  'node silent',
  'node stands still for good',
  'node unreachable',
  'process killed',
  'process stopped',
  'process suspended',
  'socket cut',
];
/** Half the seeds wait at any time. */
const PARALLEL = 3;
const SEED_LIMIT_MS = 120_000;

describe('seeds on the embedded set', () => {
  it(
    `gives only right responses with faults (${seeds.length} seeds)`,
    async () => {
      const { summary, failed } = await playSeeds({ seeds, set: 'embedded', size, parallel: PARALLEL });
      expect([summary.violations, failed]).toEqual([0, []]);
      expect(summary.checked).toBeGreaterThan(seeds.length * 100);
      expect(summary.removedBlocks).toBeGreaterThan(0);
      expect(FAULTS.filter((fault) => !summary.faults.has(fault))).toEqual([]);
    },
    seeds.length * SEED_LIMIT_MS,
  );
});
