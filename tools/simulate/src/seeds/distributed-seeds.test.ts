import { tmpdir } from 'node:os';
import path from 'node:path';
import { describeWithService } from '@antelope-history/servers';
import { testSize } from '@antelope-history/test-support/random';
import { SHORT_SEED, WHOLE_SEED } from './seed-size';
import { describeSummary, simulateSeeds } from './simulate-seeds';

const { lastSeed, size } = testSize({
  usual: { lastSeed: 3, size: SHORT_SEED },
  long: { lastSeed: 100, size: WHOLE_SEED },
});
/** Half the seeds wait at any time. */
const PARALLEL = 2;
const SEED_LIMIT_MS = 600_000;

describeWithService(['elasticsearch', 'rabbitmq', 'redis'], () => {
  describe('seeds on the distributed set', () => {
    it(
      `gives only right responses with faults (seeds 1 to ${lastSeed})`,
      async () => {
        const lines: string[] = [];
        const summary = await simulateSeeds({
          from: 1,
          to: lastSeed,
          set: 'distributed',
          size,
          parallel: PARALLEL,
          keepIn: path.join(tmpdir(), 'antelope-history-simulate'),
          report: (line) => void lines.push(line),
        });
        const failed = lines.filter((line) => line.includes('violations'));
        expect({ summary: describeSummary(summary), failed }).toEqual({
          summary: describeSummary(summary),
          failed: [],
        });
        expect(summary.checked).toBeGreaterThan(lastSeed * 100);
      },
      lastSeed * SEED_LIMIT_MS,
    );
  });
});
