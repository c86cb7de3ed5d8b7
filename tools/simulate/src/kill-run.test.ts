import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startReplay, startService, stop, untilCommitted } from '@antelope-history/processes';
import { openLmdbStoreReader } from '@antelope-history/store-lmdb/reader';
import { compareStores } from '@antelope-history/store/compare-stores';
import { openSample, sampleFolder } from '@antelope-history/test-support/recordings';
import { runWithKills } from './kill-run';

const SAMPLE = 'leap-forks';
/** Messages a second: the run takes about 1.5 s, so that kills happen before, between and after the forks. */
const SPEED = ['--speed', '250'];
const SPAN_MS = 1_500;

describe('a service that is killed at random moments', () => {
  const lastBlock = openSample(SAMPLE).messages.at(-1)?.thisBlock?.num ?? 0;
  const folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-kill-'));
  const unbroken = path.join(folder, 'unbroken');

  beforeAll(async () => {
    const replay = await startReplay(sampleFolder(SAMPLE));
    const service = startService(replay.url, unbroken);
    await untilCommitted(unbroken, lastBlock);
    await stop(service.child);
    await stop(replay.child);
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([1, 2, 3])('stores the same as an unbroken run (seed %i)', async (seed) => {
    const data = path.join(folder, `seed-${seed}`);
    const replay = await startReplay(sampleFolder(SAMPLE), SPEED);
    const killedAt = await runWithKills({ url: replay.url, data, lastBlock, kills: 3, seed, spanMs: SPAN_MS });
    await stop(replay.child);
    const whole = await openLmdbStoreReader({ path: unbroken, mapSizeBytes: 0 });
    const recovered = await openLmdbStoreReader({ path: data, mapSizeBytes: 0 });
    const { differences, ...counts } = await compareStores(whole, recovered);
    await whole.close();
    await recovered.close();
    expect({ killedAt, differences }).toEqual({ killedAt, differences: [] });
    expect(counts.blocks).toBe(lastBlock);
    expect(counts.actions).toBeGreaterThan(400);
  });
});
