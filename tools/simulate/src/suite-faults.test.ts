import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startReplay, startService, startSuite, stop, untilCommitted } from '@antelope-history/processes';
import { describeWithService } from '@antelope-history/servers';
import { openLmdbStoreReader } from '@antelope-history/store-lmdb/reader';
import { compareStores } from '@antelope-history/store/compare-stores';
import { testSize } from '@antelope-history/test-support/random';
import { openSample, sampleFolder } from '@antelope-history/test-support/recordings';
import { runWithFaults } from './suite-faults';
import { openSuiteStore } from './suite-store';

const SAMPLE = 'leap-forks';
/** Messages a second: the run takes about ten seconds, so that a killed process runs again before its end. */
const SPEED = ['--speed', '40'];
const SPAN_MS = 8_000;
const FAULTS = 6;
/** The first kills the reader, a deserializer and an indexer, cuts connections, and loses messages and keys. */
const SEEDS = testSize({ usual: [73], long: [73, 1, 2] });
/** Seconds until an indexer notices a lost message. */
const ENVIRONMENT = { HISTORY_INDEXER__STALL_SECONDS: '3' };

describeWithService(['elasticsearch', 'rabbitmq', 'redis'], () => {
  describe('a suite whose processes are killed and whose servers lose data', () => {
    const lastBlock = openSample(SAMPLE).messages.at(-1)!.thisBlock!;
    const folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-faults-'));
    const unbroken = path.join(folder, 'unbroken');

    beforeAll(async () => {
      const replay = await startReplay(sampleFolder(SAMPLE));
      const service = startService(replay.url, unbroken);
      await untilCommitted(unbroken, lastBlock.num);
      await stop(service.child);
      await stop(replay.child);
    }, 180_000);

    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it.each(SEEDS)(
      'stores the same as an unbroken run of the embedded set (seed %i)',
      async (seed) => {
        const replay = await startReplay(sampleFolder(SAMPLE), SPEED);
        const closers: (() => Promise<void>)[] = [() => stop(replay.child)];
        let giveUp: (error: Error) => void = () => undefined;
        const givenUp = new Promise<never>((_, reject) => (giveUp = reject));
        // It may reject while the suite starts, when nothing waits for it.
        givenUp.catch(() => undefined);
        try {
          const suite = await startSuite({
            shipUrl: replay.url,
            deserializers: 2,
            indexers: 2,
            logFolder: path.join(folder, `logs-${seed}`),
            environment: ENVIRONMENT,
            fail: (error) => giveUp(error),
          });
          closers.unshift(() => suite.stop());
          // The system gives no outgoing connection a port below: an app that is restarted finds its ports free.
          const ports = suite.apps.map(({ operationsUrl }) => Number(new URL(operationsUrl).port));
          expect(Math.max(...ports)).toBeLessThan(32_768);
          const run = runWithFaults({ suite, lastBlock, faults: FAULTS, seed, spanMs: SPAN_MS });
          const happened = await Promise.race([run, givenUp]);
          const whole = await openLmdbStoreReader({ path: unbroken, mapSizeBytes: 0 });
          closers.unshift(() => whole.close());
          const recovered = await openSuiteStore(suite.set);
          closers.unshift(() => recovered.close());
          const { differences, ...counts } = await compareStores(whole, recovered);
          expect({ happened, differences }).toEqual({ happened, differences: [] });
          expect(counts.blocks).toBe(lastBlock.num);
          expect(counts.actions).toBeGreaterThan(400);
        } finally {
          for (const close of closers) await close();
        }
      },
      600_000,
    );
  });
});
