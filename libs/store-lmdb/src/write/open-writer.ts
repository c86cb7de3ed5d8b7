import { randomUUID } from 'node:crypto';
import { DataFields } from '@antelope-history/data-fields';
import { hasErrorCode, HistoryError } from '@antelope-history/schemas';
import type { StoreRepairer, StoreWriter } from '@antelope-history/store';
import { readFact } from '../format/chain-facts';
import { createDirectory } from '../format/create-directory';
import { DataFile } from '../format/data-file';
import { directoryError } from '../format/directory-error';
import { openEnvironment, type EnvironmentOptions } from '../format/environment';
import { assertUndamaged } from '../format/damage';
import { assertFormat, FORMAT_VERSION } from '../format/format-version';
import { openTables, type Tables } from '../format/tables';
import { waitForOpenings } from '../lock/open-between-commits';
import { takeWriterLock, type WriterLock } from '../lock/writer-lock';
import { BatchCommitter } from './batch-committer';
import { DiskRoom, roomOf } from './disk-room';
import { LmdbWriter } from './lmdb-writer';
import { RepairSpool } from './repair-spool';
import { Retention } from './retention';
import { WriteBatch } from './write-batch';
import { writeFact } from './write-facts';

export interface LmdbWriterOptions extends EnvironmentOptions {
  /** The keys of the data fields to index; none by default. */
  dataFields?: readonly string[];
  /** Number of newest blocks to keep; 0, the default, = all. */
  retainBlocks?: number;
}

/**
 * Opens the write side of the embedded store and creates the directory and the tables if they are missing. A data directory
 * has one writer at a time. Rejects with
 * - `STORE_UNAVAILABLE` when the directory cannot be created, locked or opened;
 * - `STORE_IN_USE` when another writer holds it;
 * - `STORE_FORMAT_MISMATCH` when another format version wrote it;
 * - `STORE_DAMAGED` when a commit was lost.
 */
export function openLmdbStoreWriter(options: LmdbWriterOptions): Promise<StoreWriter> {
  return openWriter(options);
}

/**
 * Opens the embedded store for repairs. While another process writes to the data directory, that process applies them; otherwise
 * this one is the writer until it is closed. Rejects as `openLmdbStoreWriter`, but for `STORE_IN_USE`.
 */
export async function openLmdbStoreRepairer(options: LmdbWriterOptions): Promise<StoreRepairer> {
  try {
    return await openWriter(options);
  } catch (error) {
    if (!hasErrorCode(error, 'STORE_IN_USE')) throw error;
    const spool = new RepairSpool(options.path);
    return { repairBlocks: (blocks) => spool.request(blocks), close: () => Promise.resolve() };
  }
}

async function openWriter(options: LmdbWriterOptions): Promise<LmdbWriter> {
  const writable = await openForWriting(options);
  return new LmdbWriter({
    ...writable,
    spool: new RepairSpool(options.path),
    room: roomOf(options, writable.tables),
    retention: new Retention(writable.tables, options.retainBlocks ?? 0),
    dataFields: new DataFields(options.dataFields ?? []),
  });
}

/** A data directory that this process alone writes. */
export interface WritableStore {
  tables: Tables;
  lock: WriterLock;
  committer: BatchCommitter;
}

/** Opens a data directory as its only writer. Rejects as `openLmdbStoreWriter`. */
export async function openForWriting(options: EnvironmentOptions): Promise<WritableStore> {
  createDataDirectory(options.path);
  const lock = await takeWriterLock(options.path);
  let tables: Tables | undefined;
  try {
    await waitForOpenings(options.path);
    // The library commits each table that it creates.
    tables = await lock.gate.whileNoneOpens(() => createTables(options));
    const committer = new BatchCommitter(tables, lock.gate, new DiskRoom(options.path, 0), new DataFile(options.path));
    await tieToFormat(tables, committer, options.path);
    return { tables, lock, committer };
  } catch (error) {
    await tables?.root.close();
    await lock.release();
    throw error;
  }
}

function createDataDirectory(directory: string): void {
  try {
    createDirectory(directory);
  } catch (cause) {
    throw directoryError(directory, 'created', cause);
  }
}

/** What this writer adds is of its format, so an earlier version may not read the store any more. Gives the store its id. */
async function tieToFormat(tables: Tables, committer: BatchCommitter, directory: string): Promise<void> {
  const format = readFact(tables, 'formatVersion');
  if (format !== undefined) assertFormat(format, directory);
  assertUndamaged(tables);
  const batch = new WriteBatch();
  if (format !== FORMAT_VERSION) writeFact(tables, 'formatVersion', FORMAT_VERSION, batch);
  if (format === undefined) writeFact(tables, 'countsTraces', true, batch);
  if (readFact(tables, 'storeId') === undefined) writeFact(tables, 'storeId', randomUUID(), batch);
  await committer.commit(batch);
}

/** Opens the tables and creates those that are missing. Throws `STORE_UNAVAILABLE`. */
export function createTables(options: EnvironmentOptions): Tables {
  const root = openEnvironment(options, false);
  const tables = openTables(root, { create: true });
  if (!tables) throw new HistoryError('STORE_UNAVAILABLE', `the tables in ${options.path} cannot be created`);
  return tables;
}
