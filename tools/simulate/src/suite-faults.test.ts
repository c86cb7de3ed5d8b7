import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startReplay, startService, stop, untilCommitted } from '@antelope-history/service-process';
import { describeWithService } from '@antelope-history/services';
import { openLmdbStoreReader } from '@antelope-history/store-lmdb/reader';
import { compareStores } from '@antelope-history/store/compare-stores';
import { startSuite } from '@antelope-history/suite';
import { openSample, sampleFolder } from '@antelope-history/test-support/recordings';
import { runWithFaults } from './suite-faults';
import { openSuiteStore } from './suite-store';

const SAMPLE = 'leap-forks';
/** Messages a second: a run of about ten seconds, in which a process that was killed is there again. */
const SPEED = ['--speed', '40'];
const SPAN_MS = 8_000;
const FAULTS = 6;
/** A lost message is missed so soon. */
const ENVIRONMENT = { HISTORY_INDEXER__STALL_SECONDS: '3' };

describeWithService(['elasticsearch', 'rabbitmq', 'redis'], () => {
  describe('a suite whose processes are killed and whose servers forget', () => {
    const lastBlock = openSample(SAMPLE).messages.at(-1)!.thisBlock!;
    const folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-faults-'));
    const unbroken = path.join(folder, 'unbroken');

    beforeAll(async () => {
      const replay = await startReplay(sampleFolder(SAMPLE));
      const service = startService(replay.url, unbroken);
      await untilCommitted(unbroken, lastBlock.num);
      await stop(service.child);
      await stop(replay.child);
    }, 60_000);

    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it.each([1, 2])(
      'ends with what an unbroken run of the embedded set has (seed %i)',
      async (seed) => {
        const replay = await startReplay(sampleFolder(SAMPLE), SPEED);
        const closers: (() => Promise<void>)[] = [() => stop(replay.child)];
        try {
          const suite = await startSuite({
            shipUrl: replay.url,
            deserializers: 2,
            indexers: 2,
            logFolder: path.join(folder, `logs-${seed}`),
            environment: ENVIRONMENT,
          });
          closers.unshift(() => suite.stop());
          const happened = await runWithFaults({ suite, lastBlock, faults: FAULTS, seed, spanMs: SPAN_MS });
          const whole = await openLmdbStoreReader({ path: unbroken, mapSizeBytes: 0 });
          closers.unshift(() => whole.close());
          const mended = await openSuiteStore(suite.set);
          closers.unshift(() => mended.close());
          const { differences, ...counts } = await compareStores(whole, mended);
          expect({ happened, differences }).toEqual({ happened, differences: [] });
          expect(counts.blocks).toBe(lastBlock.num);
          expect(counts.actions).toBeGreaterThan(400);
        } finally {
          for (const close of closers) await close();
        }
      },
      240_000,
    );
  });
});
