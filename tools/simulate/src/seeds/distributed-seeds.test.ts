import { describeWithService } from '@antelope-history/servers';
import { testSize } from '@antelope-history/test-support/random';
import { playSeeds } from './play-seeds';
import { seedRange, SHORT_SEED, WHOLE_SEED } from './seed-size';

/** Of the first three, the one with faults of the servers and of the indexers. */
const { seeds, size } = testSize({
  usual: { seeds: [3], size: SHORT_SEED },
  long: { seeds: seedRange(1, 100), size: WHOLE_SEED },
});
/** Half the seeds wait at any time. */
const PARALLEL = 2;
const SEED_LIMIT_MS = 600_000;

describeWithService(['elasticsearch', 'rabbitmq', 'redis'], () => {
  describe('seeds on the distributed set', () => {
    it(
      `gives only right responses with faults (${seeds.length} seeds)`,
      async () => {
        const { summary, failed } = await playSeeds({ seeds, set: 'distributed', size, parallel: PARALLEL });
        expect([summary.violations, failed]).toEqual([0, []]);
        expect(summary.checked).toBeGreaterThan(seeds.length * 100);
      },
      seeds.length * SEED_LIMIT_MS,
    );
  });
});
