import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLogger, loadConfig } from '@antelope-history/app-runtime';
import { openStoreWriter } from './open-store-writer';

const log = createLogger('test', 'silent');

describe('openStoreWriter', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-open-store-writer-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('opens the embedded store for writing and creates its directory', async () => {
    const config = loadConfig({ HISTORY_STORE__PATH: path.join(folder, 'data') });
    const writer = await openStoreWriter(config, log);
    try {
      const { status } = await writer.getProgress();
      expect(status.committed).toBeUndefined();
      expect('getActions' in writer).toBe(false);
      await expect(openStoreWriter(config, log)).rejects.toMatchObject({ code: 'STORE_IN_USE' });
    } finally {
      await writer.close();
    }
  });
});
