import { accessSync, constants } from 'node:fs';
import { HistoryError } from '@antelope-history/schemas';
import type { StoreReader } from '@antelope-history/store';
import { readFact } from '../format/chain-facts';
import { dataFileIn, hasData, openEnvironment, type EnvironmentOptions } from '../format/environment';
import { assertFormat } from '../format/format-version';
import { openTables, type Tables } from '../format/tables';
import { LmdbReader } from './lmdb-reader';

export type LmdbReaderOptions = EnvironmentOptions;

/**
 * Opens the read side of the embedded store. Any number of threads and processes of one machine may read a data directory
 * while one writes it; each query sees what was committed before it. Creates nothing. Rejects with
 * - `STORE_UNAVAILABLE` when the directory cannot be opened, or no writer has created the data yet;
 * - `STORE_FORMAT_MISMATCH` when another format version wrote it.
 */
export async function openLmdbStoreReader(options: LmdbReaderOptions): Promise<StoreReader> {
  const tables = openExistingTables(options);
  try {
    const format = readFact(tables, 'formatVersion');
    if (format === undefined) throw noData(options.path);
    assertFormat(format, options.path);
  } catch (error) {
    await tables.root.close();
    throw error;
  }
  return new LmdbReader(tables);
}

/** Throws `STORE_UNAVAILABLE` when tables are missing: a writer that starts at the same time may be about to create them. */
export function openExistingTables(options: EnvironmentOptions): Tables {
  if (!hasData(options.path)) throw noData(options.path);
  // LMDB shares an environment within a process: opened as read-only, other threads could not write the directory.
  const root = openEnvironment(options, !isWritable(dataFileIn(options.path)));
  const tables = openTables(root, { create: false });
  if (tables) return tables;
  void root.close();
  throw noData(options.path);
}

function noData(directory: string): HistoryError {
  return new HistoryError('STORE_UNAVAILABLE', `there is no data in ${directory} yet: the indexer creates it`);
}

function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
