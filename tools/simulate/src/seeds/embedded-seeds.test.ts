import { testSize } from '@antelope-history/test-support/random';
import { playSeeds } from './play-seeds';
import { SHORT_SEED, WHOLE_SEED } from './seed-size';

const { to, size } = testSize({
  usual: { to: 20, size: SHORT_SEED },
  long: { to: 500, size: WHOLE_SEED },
});
/** Half the seeds wait at any time. */
const PARALLEL = 3;
const SEED_LIMIT_MS = 120_000;

describe('seeds on the embedded set', () => {
  it(
    `gives only right responses with faults (seeds 1 to ${to})`,
    async () => {
      const { summary, failed } = await playSeeds({ to, set: 'embedded', size, parallel: PARALLEL });
      expect([summary.violations, failed]).toEqual([0, []]);
      expect(summary.checked).toBeGreaterThan(to * 100);
    },
    to * SEED_LIMIT_MS,
  );
});
