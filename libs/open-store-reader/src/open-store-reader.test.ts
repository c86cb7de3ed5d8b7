import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLogger, loadConfig } from '@antelope-history/app-runtime';
import { openStoreReader } from './open-store-reader';

const log = createLogger('test', 'silent');

describe('openStoreReader', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-open-store-reader-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('rejects while no writer has created the embedded store', async () => {
    const { store } = loadConfig({ HISTORY_STORE__PATH: path.join(folder, 'data') });
    await expect(openStoreReader(store, log)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });

  it('opens the embedded store while a writer holds it, without methods that write', async () => {
    const { store } = loadConfig({ HISTORY_STORE__PATH: folder });
    const { openLmdbStoreWriter } = await import('@antelope-history/store-lmdb/writer');
    const writer = await openLmdbStoreWriter({ path: folder, mapSizeBytes: 0 });
    const reader = await openStoreReader(store, log);
    try {
      expect((await reader.getStatus()).committed).toBeUndefined();
      expect('writeBlocks' in reader).toBe(false);
    } finally {
      await reader.close();
      await writer.close();
    }
  });
});
