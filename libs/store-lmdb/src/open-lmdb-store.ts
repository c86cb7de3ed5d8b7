import { mkdirSync } from 'node:fs';
import { HistoryError } from '@antelope-history/schemas';
import { composeStore, type HistoryStore } from '@antelope-history/store';
import { readFact, writeFact } from './chain-facts';
import { notThereYet, openForReading, openForWriting } from './lmdb-environment';
import { LmdbReader } from './lmdb-reader';
import { LmdbWriter } from './lmdb-writer';
import type { Tables } from './tables';
import { WriteBatch } from './write-batch';
import { takeWriterLock } from './writer-lock';

/** Grows with every change of a key or value layout. */
export const FORMAT_VERSION = 1;

export interface LmdbStoreOptions {
  /** A directory on a local disk; made when it is missing (not when `readOnly`). */
  path: string;
  /** Address space to begin with; 0 = as the library sees fit. It grows with the data. */
  mapSizeBytes: number;
  readOnly: boolean;
}

/**
 * Opens the embedded store. Any number of threads and processes of one machine may read it while one writes, and see
 * what it commits without opening anew. Throws
 * - `STORE_UNAVAILABLE` when the directory cannot be opened, or is to be read and not there yet;
 * - `STORE_IN_USE` when it is to be written and somebody else does;
 * - `STORE_FORMAT_MISMATCH` when it was written by another format version.
 */
export function openLmdbStore(options: LmdbStoreOptions): Promise<HistoryStore> {
  return options.readOnly ? openReadOnly(options) : openWritable(options);
}

async function openReadOnly(options: LmdbStoreOptions): Promise<HistoryStore> {
  const tables = openForReading(options);
  try {
    const format = readFact(tables, 'formatVersion');
    if (format === undefined) throw notThereYet(options.path);
    assertFormat(format, options.path);
  } catch (error) {
    await tables.root.close();
    throw error;
  }
  const reader = new LmdbReader(tables);
  return composeStore(reader, undefined, () => {
    reader.close();
    return tables.root.close();
  });
}

async function openWritable(options: LmdbStoreOptions): Promise<HistoryStore> {
  makeDirectory(options.path);
  const lock = await takeWriterLock(options.path);
  let tables: Tables | undefined;
  try {
    tables = openForWriting(options);
    const { root } = tables;
    await tieToFormat(tables, options.path);
    const [reader, writer] = [new LmdbReader(tables), new LmdbWriter(tables)];
    return composeStore(reader, writer, async () => {
      reader.close();
      await writer.close();
      await root.close();
      await lock.release();
    });
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

function assertFormat(format: number, directory: string): void {
  if (format === FORMAT_VERSION) return;
  throw new HistoryError(
    'STORE_FORMAT_MISMATCH',
    `${directory} has format ${format}, this version reads format ${FORMAT_VERSION}: ` +
      'use another data directory and index again, or the version that wrote it',
  );
}
