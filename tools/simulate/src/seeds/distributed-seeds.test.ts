import { describeWithService } from '@antelope-history/servers';
import { testSize } from '@antelope-history/test-support/random';
import { playSeeds } from './play-seeds';
import { SHORT_SEED, WHOLE_SEED } from './seed-size';

const { to, size } = testSize({
  usual: { to: 3, size: SHORT_SEED },
  long: { to: 100, size: WHOLE_SEED },
});
/** Half the seeds wait at any time. */
const PARALLEL = 2;
const SEED_LIMIT_MS = 600_000;

describeWithService(['elasticsearch', 'rabbitmq', 'redis'], () => {
  describe('seeds on the distributed set', () => {
    it(
      `gives only right responses with faults (seeds 1 to ${to})`,
      async () => {
        const { summary, failed } = await playSeeds({ to, set: 'distributed', size, parallel: PARALLEL });
        expect([summary.violations, failed]).toEqual([0, []]);
        expect(summary.checked).toBeGreaterThan(to * 100);
      },
      to * SEED_LIMIT_MS,
    );
  });
});
