import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { StoreUnderTest } from '@antelope-history/store/contract';
import { openLmdbStore } from '../src';

/** A store in a directory of its own. */
export async function openTemporaryStore(): Promise<StoreUnderTest> {
  const directory = mkdtempSync(path.join(tmpdir(), 'store-lmdb-'));
  const open = (readOnly: boolean): ReturnType<typeof openLmdbStore> =>
    openLmdbStore({ path: directory, mapSizeBytes: 0, readOnly });
  let store = await open(false);
  return {
    store,
    openReader: () => open(true),
    openWriter: () => open(false),
    restart: async () => {
      await store.close();
      store = await open(false);
      return store;
    },
    dispose: async () => {
      await store.close();
      rmSync(directory, { recursive: true });
    },
  };
}
