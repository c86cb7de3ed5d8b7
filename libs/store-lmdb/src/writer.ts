import { mkdirSync } from 'node:fs';
import { HistoryError } from '@antelope-history/schemas';
import type { StoreWriter } from '@antelope-history/store';
import { readFact, writeFact } from './chain-facts';
import { assertFormat, FORMAT_VERSION } from './format-version';
import { openForWriting, type EnvironmentOptions } from './lmdb-environment';
import { LmdbWriter } from './lmdb-writer';
import type { Tables } from './tables';
import { WriteBatch } from './write-batch';
import { takeWriterLock } from './writer-lock';

export type LmdbWriterOptions = EnvironmentOptions;

/**
 * Opens the write side of the embedded store and creates the directory and the tables if they are missing. A data directory
 * has one writer at a time. Rejects with
 * - `STORE_UNAVAILABLE` when the directory cannot be created, locked or opened;
 * - `STORE_IN_USE` when another writer holds it;
 * - `STORE_FORMAT_MISMATCH` when another format version wrote it.
 */
export async function openLmdbStoreWriter(options: LmdbWriterOptions): Promise<StoreWriter> {
  makeDirectory(options.path);
  const lock = await takeWriterLock(options.path);
  let tables: Tables | undefined;
  try {
    tables = openForWriting(options);
    await tieToFormat(tables, options.path);
    return new LmdbWriter(tables, lock);
  } catch (error) {
    await tables?.root.close();
    await lock.release();
    throw error;
  }
}

function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true });
  } catch (cause) {
    throw new HistoryError('STORE_UNAVAILABLE', `the data directory ${directory} cannot be made`, { cause });
  }
}

async function tieToFormat(tables: Tables, directory: string): Promise<void> {
  const format = readFact(tables, 'formatVersion');
  if (format !== undefined) {
    assertFormat(format, directory);
    return;
  }
  const batch = new WriteBatch();
  writeFact(tables, 'formatVersion', FORMAT_VERSION, batch);
  await batch.commit(tables);
}
