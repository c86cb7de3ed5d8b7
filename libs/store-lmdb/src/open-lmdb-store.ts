import { mkdirSync } from 'node:fs';
import { HistoryError } from '@antelope-history/schemas';
import type { HistoryStore } from '@antelope-history/store';
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
  return composeStore(new LmdbReader(tables), undefined, () => tables.root.close());
}

async function openWritable(options: LmdbStoreOptions): Promise<HistoryStore> {
  makeDirectory(options.path);
  const lock = await takeWriterLock(options.path);
  let tables: Tables | undefined;
  try {
    tables = openForWriting(options);
    const { root } = tables;
    await tieToFormat(tables, options.path);
    const writer = new LmdbWriter(tables);
    return composeStore(new LmdbReader(tables), writer, async () => {
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

function composeStore(reader: LmdbReader, writer: LmdbWriter | undefined, close: () => Promise<void>): HistoryStore {
  const write = (): LmdbWriter => {
    if (!writer) throw new HistoryError('INTERNAL', 'the store was opened for reading only');
    return writer;
  };
  return {
    getStatus: () => reader.getStatus(),
    getActions: (query) => reader.getActions(query),
    getTransaction: (idPrefix) => reader.getTransaction(idPrefix),
    getBlock: (selector) => reader.getBlock(selector),
    getBlockTraces: (selector) => reader.getBlockTraces(selector),
    getAbis: (requests, isKnown) => reader.getAbis(requests, isKnown),
    getKeyAccounts: (key) => reader.getKeyAccounts(key),
    getControlledAccounts: (actor) => reader.getControlledAccounts(actor),
    getProgress: async () => write().getProgress(),
    setChainId: async (chainId) => write().setChainId(chainId),
    writeBlocks: async (blocks) => write().writeBlocks(blocks),
    commitWritten: async () => write().commitWritten(),
    close: () => {
      reader.close();
      return close();
    },
  };
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
