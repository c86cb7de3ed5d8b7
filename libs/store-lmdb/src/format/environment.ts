import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { HistoryError } from '@antelope-history/schemas';
import { open, type RootDatabase, type RootDatabaseOptionsWithPath } from 'lmdb';
import { directoryError } from './directory-error';
import { TABLE_COUNT } from './tables';

/** The names that LMDB gives its files. */
const DATA_FILE = 'data.mdb';
const LOCK_FILE = 'lock.mdb';

export interface EnvironmentOptions {
  /** A directory on a local disk. */
  path: string;
  /** Largest size of the data, which the writer keeps, and the address space to begin with; 0 = no limit. */
  mapSizeBytes: number;
}

export function dataFileIn(directory: string): string {
  return path.join(directory, DATA_FILE);
}

/** The file in which the processes that read note what they read. */
export function lockFileIn(directory: string): string {
  return path.join(directory, LOCK_FILE);
}

/** Whether a directory holds an LMDB environment. */
export function hasData(directory: string): boolean {
  return existsSync(dataFileIn(directory));
}

export function noData(directory: string): HistoryError {
  return new HistoryError('STORE_UNAVAILABLE', `there is no data in ${directory} yet: the indexer creates it`);
}

/** Opens the LMDB environment of a data directory. Throws `STORE_UNAVAILABLE`. */
export function openEnvironment(
  { path: directory, mapSizeBytes }: EnvironmentOptions,
  readOnly: boolean,
): RootDatabase {
  const options: RootDatabaseOptionsWithPath = {
    path: directory,
    maxDbs: TABLE_COUNT,
    noSubdir: false,
    readOnly,
    // A commit resolves when it is on disk, and is the newest one after a loss of power.
    overlappingSync: false,
    // A batch is committed alone: other writes of the same turn would fail with it, and no caller would see that.
    eventTurnBatching: false,
    ...(mapSizeBytes > 0 ? { mapSize: mapSizeBytes } : {}),
  };
  assertFiles(directory);
  try {
    return open(options);
  } catch (cause) {
    throw directoryError(directory, 'opened', cause);
  }
}

/** LMDB ends the process when its lock file is a directory, and waits without end for a pipe. */
function assertFiles(directory: string): void {
  for (const file of [dataFileIn(directory), lockFileIn(directory)]) {
    if (existsSync(file) && !statSync(file).isFile())
      throw new HistoryError('STORE_UNAVAILABLE', `the data directory cannot be opened: ${file} is not a file`);
  }
}
