import type { StoreReader } from '@antelope-history/store';
import { readFact } from './chain-facts';
import { assertFormat } from './format-version';
import { notThereYet, openForReading, type EnvironmentOptions } from './lmdb-environment';
import { LmdbReader } from './lmdb-reader';

export type LmdbReaderOptions = EnvironmentOptions;

/**
 * Opens the read side of the embedded store. Any number of threads and processes of one machine may read a data directory
 * while one writes it; each query sees what was committed before it. Creates nothing. Rejects with
 * - `STORE_UNAVAILABLE` when the directory cannot be opened, or no writer has created the data yet;
 * - `STORE_FORMAT_MISMATCH` when another format version wrote it.
 */
export async function openLmdbStoreReader(options: LmdbReaderOptions): Promise<StoreReader> {
  const tables = openForReading(options);
  try {
    const format = readFact(tables, 'formatVersion');
    if (format === undefined) throw notThereYet(options.path);
    assertFormat(format, options.path);
  } catch (error) {
    await tables.root.close();
    throw error;
  }
  return new LmdbReader(tables);
}
