import { accessSync, constants } from 'node:fs';
import { HistoryError } from '@antelope-history/schemas';
import type { StoreReader } from '@antelope-history/store';
import { readFact } from '../format/chain-facts';
import { DataFile } from '../format/data-file';
import { assertUndamaged } from '../format/damage';
import {
  dataFileIn,
  hasData,
  noData,
  lockFileIn,
  openEnvironment,
  type EnvironmentOptions,
} from '../format/environment';
import { assertFormat } from '../format/format-version';
import { openTables, type Tables } from '../format/tables';
import { openBetweenCommits } from '../lock/open-between-commits';
import { LmdbReader } from './lmdb-reader';

export type LmdbReaderOptions = EnvironmentOptions;

/**
 * Opens the read side of the embedded store. Any number of threads and processes of one machine may read a data directory
 * while one writes it; each query sees what was committed before it. Creates nothing. Rejects with
 * - `STORE_UNAVAILABLE` when the directory cannot be opened, or no writer has created the data yet;
 * - `STORE_FORMAT_MISMATCH` when another format version wrote it;
 * - `STORE_DAMAGED` when a commit was lost.
 */
export async function openLmdbStoreReader(options: LmdbReaderOptions): Promise<StoreReader> {
  const tables = await openExistingTables(options);
  try {
    const format = readFact(tables, 'formatVersion');
    if (format === undefined) throw noData(options.path);
    assertFormat(format, options.path);
    assertUndamaged(tables);
  } catch (error) {
    await tables.root.close();
    throw error;
  }
  return new LmdbReader(tables, new DataFile(options.path));
}

/**
 * Rejects with `STORE_UNAVAILABLE` when the directory cannot be opened, or tables are missing: a writer that starts at the same time
 * may be about to create them.
 */
export async function openExistingTables(options: EnvironmentOptions): Promise<Tables> {
  if (!hasData(options.path)) throw noData(options.path);
  const { root, opened } = await openBetweenCommits(options.path, (isWritten) => {
    if (isWritten) assertLockable(options.path);
    // LMDB shares an environment within a process: opened as read-only, other threads could not write the directory.
    const root = openEnvironment(options, !isWritable(dataFileIn(options.path)));
    return { root, opened: openTables(root, { create: false }) };
  });
  if (opened) return opened;
  await root.close();
  throw noData(options.path);
}

/** LMDB opens a directory also without its lock file, but the writer would not know then which pages are being read. */
function assertLockable(directory: string): void {
  const file = lockFileIn(directory);
  if (isWritable(file)) return;
  throw new HistoryError(
    'STORE_UNAVAILABLE',
    `${file} must be writable for this user: a process writes to the directory`,
  );
}

function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
