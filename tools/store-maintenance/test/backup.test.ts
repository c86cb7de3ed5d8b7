import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { StoreWriter } from '@antelope-history/store';
import { compareStores } from '@antelope-history/store/compare-stores';
import { openLmdbStoreReader } from '@antelope-history/store-lmdb/reader';
import { openLmdbStoreWriter } from '@antelope-history/store-lmdb/writer';
import { openSample } from '@antelope-history/test-support/recordings';
import { recordsOf } from './recorded-records';
import { ended, onDirectory, runMain, startMain } from './run-main';

const RECORDS = recordsOf(openSample('leap-edge'));
const LAST = RECORDS.at(-1)?.position;

describe('npm run backup', () => {
  let folder: string;
  let data: string;
  let writer: StoreWriter;
  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-backup-'));
    data = path.join(folder, 'data');
    writer = await openLmdbStoreWriter({ path: data, mapSizeBytes: 0 });
  });
  afterEach(async () => {
    await writer.close();
    rmSync(folder, { recursive: true });
  });

  const backUp = (...args: string[]) => runMain('backup-main', onDirectory(data), args);

  it.each([[], ['--compact']])(
    'copies one commit while the chain is written, and indexing continues on it (%s)',
    async (...args) => {
      const to = path.join(folder, 'copy');
      await writer.writeBlocks(RECORDS.slice(0, 100));
      const copied = backUp('--to', to, '--json', ...args);
      const state = { isCopied: false };
      void copied.then(() => (state.isCopied = true));
      let next = 100;
      for (; !state.isCopied || next < 300; next++) {
        if (next < RECORDS.length) await writer.writeBlocks(RECORDS.slice(next, next + 1));
        else await new Promise((resolve) => setTimeout(resolve, 10));
      }
      for (; next < RECORDS.length; next++) await writer.writeBlocks(RECORDS.slice(next, next + 1));
      const { status, output } = await copied;
      expect([status, output]).toEqual([0, expect.stringContaining('committed_block_num')]);
      const { committed_block_num: committed, bytes } = JSON.parse(output) as Record<string, number>;
      expect(bytes).toBeGreaterThan(100_000);
      expect(readdirSync(folder).sort()).toEqual(['copy', 'data']);

      const restored = await openLmdbStoreWriter({ path: to, mapSizeBytes: 0 });
      const progress = await restored.getProgress();
      expect(progress.status.committed?.num).toBe(committed);
      const from = RECORDS.findIndex(({ position }) => position.id === progress.status.committed?.id) + 1;
      expect(from).toBeGreaterThan(0);
      await restored.writeBlocks(RECORDS.slice(from));
      await restored.close();
      const [whole, copy] = [
        await openLmdbStoreReader({ path: data, mapSizeBytes: 0 }),
        await openLmdbStoreReader({ path: to, mapSizeBytes: 0 }),
      ];
      expect((await copy.getStatus()).committed).toEqual(LAST);
      const { differences, actions } = await compareStores(whole, copy);
      expect(differences).toEqual([]);
      expect(actions).toBeGreaterThan(1_000);
      for (const reader of [whole, copy]) await reader.close();
    },
    120_000,
  );

  it('ends at Ctrl-C, and leaves nothing of a copy behind', async () => {
    // Copying them takes longer than the signal.
    const large = RECORDS.slice(0, 8).map((records) => ({ ...records, block: randomBytes(16 * 1024 * 1024) }));
    await writer.writeBlocks(large);
    const child = startMain('backup-main', onDirectory(data), ['--to', path.join(folder, 'copy'), '--compact']);
    const end = ended(child);
    const partial = path.join(folder, 'copy.partial', 'data.mdb');
    while (!existsSync(partial)) await new Promise((resolve) => setTimeout(resolve, 1));
    child.kill('SIGINT');
    expect(await end).toEqual({
      status: null,
      signal: 'SIGINT',
      output: expect.stringMatching(/STOPPED: .*interrupted/),
    });
    expect(readdirSync(folder)).toEqual(['data']);
  });

  it('refuses a directory that exists, and leaves it alone', async () => {
    await writer.writeBlocks(RECORDS.slice(0, 10));
    const to = path.join(folder, 'mine');
    mkdirSync(to);
    writeFileSync(path.join(to, 'file'), 'mine');
    const { status, output } = await backUp('--to', to);
    expect([status, output]).toEqual([
      2,
      expect.stringMatching(/^CONFIG_INVALID: .*mine exists: name a new directory/),
    ]);
    expect(readdirSync(to)).toEqual(['file']);
  });

  it.each([
    [['--to'], /CONFIG_INVALID/],
    [[], /CONFIG_INVALID: name a new directory/],
    [['--to', ''], /CONFIG_INVALID: name a new directory/],
    [['--to', `${__filename}/x`], /CONFIG_INVALID: no directory can be created in .* \(ENOTDIR\)/],
    [['--to', '/proc/x'], /CONFIG_INVALID: no directory can be created in \/proc \(E/],
    [['--too', 'x'], /CONFIG_INVALID: the command line/],
  ])('refuses %j', async (args, message) => {
    const { status, output } = await backUp(...args);
    expect([status, output]).toEqual([2, expect.stringMatching(message)]);
  });

  it('copies no store without a block, and leaves nothing behind', async () => {
    const to = path.join(folder, 'copy');
    const { status, output } = await backUp('--to', to);
    expect([status, output]).toEqual([2, expect.stringMatching(/^STORE_UNAVAILABLE: .*holds no committed block yet/)]);
    expect([existsSync(to), existsSync(`${to}.partial`)]).toEqual([false, false]);
  });

  it('explains itself', async () => {
    const { status, output } = await backUp('--help');
    expect([status, output]).toEqual([0, expect.stringContaining('To restore:')]);
  });
});
