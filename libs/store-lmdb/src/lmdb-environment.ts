import { accessSync, constants, existsSync } from 'node:fs';
import path from 'node:path';
import { HistoryError } from '@antelope-history/schemas';
import { open, type RootDatabase, type RootDatabaseOptionsWithPath } from 'lmdb';
import { openTables, TABLE_COUNT, type Tables } from './tables';

/** Opens the LMDB files of a data directory. */

const DATA_FILE = 'data.mdb';

export interface EnvironmentOptions {
  /** A directory on a local disk. */
  path: string;
  /** Address space to begin with; 0 = the library's default. It grows with the data. */
  mapSizeBytes: number;
}

/** Opens the tables for writing, and makes those that are missing. Throws `STORE_UNAVAILABLE`. */
export function openForWriting(options: EnvironmentOptions): Tables {
  const root = openEnvironment(options, false);
  const tables = openTables(root, { create: true });
  if (!tables) throw new HistoryError('STORE_UNAVAILABLE', `the tables in ${options.path} cannot be made`);
  return tables;
}

/**
 * Opens the tables for reading. Throws `STORE_UNAVAILABLE` when they are not there: a writer that was started at the
 * same time may be about to make them.
 */
export function openForReading(options: EnvironmentOptions): Tables {
  if (!hasData(options.path)) throw notThereYet(options.path);
  const file = path.join(options.path, DATA_FILE);
  // LMDB shares what one process opens: opened as read-only, the directory could not be written by its other threads.
  const root = openEnvironment(options, !isWritable(file));
  const tables = openTables(root, { create: false });
  if (tables) return tables;
  void root.close();
  throw notThereYet(options.path);
}

/** Whether a directory holds an environment. */
export function hasData(directory: string): boolean {
  return existsSync(path.join(directory, DATA_FILE));
}

export function notThereYet(directory: string): HistoryError {
  return new HistoryError('STORE_UNAVAILABLE', `there is no data in ${directory} yet: the indexer makes it`);
}

function openEnvironment({ path: directory, mapSizeBytes }: EnvironmentOptions, readOnly: boolean): RootDatabase {
  const options: RootDatabaseOptionsWithPath = {
    path: directory,
    maxDbs: TABLE_COUNT,
    noSubdir: false,
    readOnly,
    // A commit is on disk when it resolves, and is the latest after a loss of power.
    overlappingSync: false,
    // What else happens to be written in the same turn would share the fate of a batch, with nobody to see it fail.
    eventTurnBatching: false,
    ...(mapSizeBytes > 0 ? { mapSize: mapSizeBytes } : {}),
  };
  try {
    return open(options);
  } catch (cause) {
    throw new HistoryError('STORE_UNAVAILABLE', `the data directory ${directory} cannot be opened`, { cause });
  }
}

function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
