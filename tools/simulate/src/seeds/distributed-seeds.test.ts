import { tmpdir } from 'node:os';
import path from 'node:path';
import { describeLong, describeWithService } from '@antelope-history/servers';
import { describeSummary, simulateSeeds } from './simulate-seeds';

const LAST_SEED = 100;
/** Half the seeds wait at any time. */
const PARALLEL = 2;
const SEED_LIMIT_MS = 600_000;

describeWithService(['elasticsearch', 'rabbitmq', 'redis'], () => {
  describeLong('it plays 100 chains on the distributed set, which takes hours', () => {
    it(
      `the distributed set gives only right responses with faults (seeds 1 to ${LAST_SEED})`,
      async () => {
        const lines: string[] = [];
        const summary = await simulateSeeds({
          from: 1,
          to: LAST_SEED,
          set: 'distributed',
          parallel: PARALLEL,
          keepIn: path.join(tmpdir(), 'antelope-history-simulate'),
          report: (line) => void lines.push(line),
        });
        const failed = lines.filter((line) => line.includes('violations'));
        expect({ summary: describeSummary(summary), failed }).toEqual({
          summary: describeSummary(summary),
          failed: [],
        });
        expect(summary.checked).toBeGreaterThan(LAST_SEED * 100);
      },
      LAST_SEED * SEED_LIMIT_MS,
    );
  });
});
