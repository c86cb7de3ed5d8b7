import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  CONTRACT_DATA_FIELDS,
  joinStore,
  type HistoryStore,
  type StoreUnderTest,
} from '@antelope-history/store/contract';
import { openLmdbStoreReader, type LmdbReaderOptions } from '../src/reader';
import { openLmdbStoreWriter } from '../src/writer';

/** Both sides of the store in a directory. */
export async function openBothSides(options: LmdbReaderOptions): Promise<HistoryStore> {
  const writer = await openLmdbStoreWriter({ ...options, dataFields: CONTRACT_DATA_FIELDS });
  return joinStore(await openLmdbStoreReader(options), writer);
}

/** A store in a new temporary directory. */
export async function openTemporaryStore(): Promise<StoreUnderTest> {
  const directory = mkdtempSync(path.join(tmpdir(), 'store-lmdb-'));
  const options = { path: directory, mapSizeBytes: 0 };
  let store = await openBothSides(options);
  return {
    store,
    openReader: () => openLmdbStoreReader(options),
    openWriter: () => openLmdbStoreWriter({ ...options, dataFields: CONTRACT_DATA_FIELDS }),
    restart: async () => {
      await store.close();
      store = await openBothSides(options);
      return store;
    },
    dispose: async () => {
      await store.close();
      rmSync(directory, { recursive: true });
    },
  };
}
