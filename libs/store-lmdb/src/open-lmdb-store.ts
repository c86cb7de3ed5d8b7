import { mkdirSync } from 'node:fs';
import { HistoryError } from '@antelope-history/schemas';
import type { HistoryStore } from '@antelope-history/store';
import { open } from 'lmdb';
import { readFact, writeFact } from './chain-facts';
import { LmdbReader } from './lmdb-reader';
import { LmdbWriter } from './lmdb-writer';
import { MAX_TABLES, openTables, type Tables } from './tables';

/** Grows with every change of a key or value layout. */
export const FORMAT_VERSION = 1;

export interface LmdbStoreOptions {
  /** A directory; made when it is missing (not when `readOnly`). */
  path: string;
  /** The most the file may grow to; 0 = as the library sees fit, growing as needed. */
  mapSizeBytes: number;
  readOnly: boolean;
}

/**
 * Opens the embedded store. Any number of processes of one machine may read it while one writes.
 * Throws `STORE_FORMAT_MISMATCH` when the directory was written by another format version, `STORE_UNAVAILABLE` when
 * it cannot be opened.
 */
export async function openLmdbStore(options: LmdbStoreOptions): Promise<HistoryStore> {
  const tables = openEnvironment(options);
  try {
    await checkFormat(tables, options);
  } catch (error) {
    await tables.root.close();
    throw error;
  }
  const reader = new LmdbReader(tables);
  const writer = options.readOnly ? undefined : new LmdbWriter(tables);
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
    getProgress: () => write().getProgress(),
    setChainId: (chainId) => write().setChainId(chainId),
    writeBlocks: (blocks) => write().writeBlocks(blocks),
    close: () => tables.root.close(),
  };
}

function openEnvironment(options: LmdbStoreOptions): Tables {
  try {
    if (!options.readOnly) mkdirSync(options.path, { recursive: true });
    const root = open({
      path: options.path,
      maxDbs: MAX_TABLES,
      readOnly: options.readOnly,
      noSubdir: false,
      ...(options.mapSizeBytes > 0 ? { mapSize: options.mapSizeBytes } : {}),
    });
    return openTables(root);
  } catch (cause) {
    throw new HistoryError('STORE_UNAVAILABLE', `the data directory ${options.path} cannot be opened`, { cause });
  }
}

async function checkFormat(tables: Tables, options: LmdbStoreOptions): Promise<void> {
  const stored = readFact(tables, 'formatVersion');
  if (stored === FORMAT_VERSION) return;
  if (stored === undefined && !options.readOnly) {
    await tables.root.batch(() => writeFact(tables, 'formatVersion', FORMAT_VERSION));
    return;
  }
  throw new HistoryError(
    'STORE_FORMAT_MISMATCH',
    `${options.path} has format ${stored ?? 'none'}, this version reads format ${FORMAT_VERSION}: ` +
      'use another data directory and index again, or the version that wrote it',
  );
}
