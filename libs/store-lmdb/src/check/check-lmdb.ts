import { accessSync, constants, existsSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { type Check, type Finding, ok, wrong } from '@antelope-history/connectivity/check';
import { type ErrorCode, hasErrorCode, HistoryError } from '@antelope-history/schemas';
import type { ChainStatus } from '@antelope-history/store';
import { hasData } from '../format/environment';
import { openExistingTables, openLmdbStoreReader } from '../read/open-reader';
import { takeWriterLock } from '../lock/writer-lock';
import { DiskRoom, inMib, roomOf, type RoomOptions } from '../write/disk-room';

export interface LmdbCheckOptions {
  /** `store.lmdb.path` */
  path: string;
  access: 'read' | 'write';
  /** The chain that the configuration names. */
  chainId: string | undefined;
}

export interface LmdbRoomOptions extends RoomOptions {
  /** The free bytes of the disk of a directory; by default those of the real disk. */
  readFreeBytes?: (directory: string) => number;
}

const DIRECTORY = 'lmdb directory';
const DATA = 'lmdb data';

/** The checks of a data directory. They leave no file in it. */
export function lmdbChecks({ path: directory, access, chainId }: LmdbCheckOptions): Check[] {
  const writer = { name: 'lmdb writer', needs: [DIRECTORY], run: () => checkWriter(directory) };
  return [
    { name: DIRECTORY, needs: [], run: async () => checkDirectory(directory, access) },
    { name: DATA, needs: [DIRECTORY], run: () => checkData(directory, chainId) },
    ...(access === 'write' ? [writer] : []),
  ];
}

/** The check of the room for further data: a writer without it pauses, and what is stored is served. Needs `lmdbChecks`. */
export function lmdbRoomCheck(options: LmdbRoomOptions): Check {
  return { name: 'lmdb room', needs: [DATA], run: () => checkRoom(options) };
}

/** The chain status of a data directory; undefined when it holds no data. Rejects as `openLmdbStoreReader`. */
export async function readLmdbStatus(directory: string): Promise<ChainStatus | undefined> {
  if (!hasData(directory)) return undefined;
  const store = await openLmdbStoreReader({ path: directory, mapSizeBytes: 0 });
  try {
    return await store.getStatus();
  } finally {
    await store.close();
  }
}

function checkDirectory(directory: string, access: 'read' | 'write'): Finding {
  if (access === 'read') {
    if (!hasData(directory)) {
      return wrong(
        'lmdb.missing',
        `there is no data in ${directory}`,
        'start the indexer, which creates it, or name its directory in store.lmdb.path',
      );
    }
    return canRead(directory)
      ? ok('lmdb.directory', `${directory} can be read`)
      : wrong('lmdb.not_readable', `${directory} cannot be read`, 'give this user the right to read it');
  }
  const existing = nearestExisting(directory);
  if (!statSync(existing).isDirectory()) {
    return wrong(
      'lmdb.not_directory',
      `${existing} is not a directory`,
      'name a directory in store.lmdb.path, which need not exist',
    );
  }
  if (!canWrite(existing)) {
    return wrong(
      'lmdb.not_writable',
      `${existing} cannot be written`,
      'give this user the right to write it, or name another directory in store.lmdb.path',
    );
  }
  return existing === path.resolve(directory)
    ? ok('lmdb.directory', `${directory} can be written`)
    : ok('lmdb.directory_to_be_made', `${directory} will be created`);
}

async function checkData(directory: string, chainId: string | undefined): Promise<Finding> {
  try {
    const status = await readLmdbStatus(directory);
    if (!status) return ok('lmdb.empty', 'it holds no data yet');
    if (chainId !== undefined && status.chainId !== undefined && status.chainId !== chainId) {
      return wrong(
        'lmdb.chain_id_mismatch',
        `it holds chain ${status.chainId}, chain_id says ${chainId}`,
        'name the directory of that chain in store.lmdb.path, or change chain_id',
      );
    }
    return ok('lmdb.data', `its committed head is block ${status.committed?.num ?? 'none'}`);
  } catch (error) {
    return describeFailure(error);
  }
}

async function checkWriter(directory: string): Promise<Finding> {
  if (!existsSync(directory)) return ok('lmdb.writer', 'no process writes to it');
  try {
    const lock = await takeWriterLock(directory);
    await lock.release();
    return ok('lmdb.writer', 'no other process writes to it');
  } catch (error) {
    return describeFailure(error);
  }
}

async function checkRoom(options: LmdbRoomOptions): Promise<Finding> {
  const { path: directory, readFreeBytes } = options;
  const tables = hasData(directory) ? await openExistingTables({ path: directory, mapSizeBytes: 0 }) : undefined;
  try {
    const room = tables
      ? roomOf(options, tables, readFreeBytes)
      : new DiskRoom(nearestExisting(directory), 0, undefined, readFreeBytes);
    room.assertRoom();
    return ok('lmdb.room', `${inMib(room.freeBytes())} are free on its disk`);
  } catch (error) {
    if (!hasErrorCode(error, 'STORE_FULL')) throw error;
    return wrong('lmdb.full', error.message, 'indexing pauses until there is room; a raised key needs a restart');
  } finally {
    await tables?.root.close();
  }
}

const FAILURES: Partial<Record<ErrorCode, { id: string; change: string }>> = {
  STORE_FORMAT_MISMATCH: {
    id: 'lmdb.wrong_format',
    change: 'name another directory in store.lmdb.path and index again, or run the version that wrote it',
  },
  STORE_IN_USE: {
    id: 'lmdb.in_use',
    change:
      'stop that process, or name another directory in store.lmdb.path; if it is this service itself, nothing is wrong',
  },
  STORE_DAMAGED: {
    id: 'lmdb.damaged',
    change: 'restore a backup into it, or name another directory in store.lmdb.path and index again',
  },
  STORE_UNAVAILABLE: {
    id: 'lmdb.unusable',
    change: 'make sure that it is on a local disk and that this user may read and write its files',
  },
};

function describeFailure(error: unknown): Finding {
  const failure = error instanceof HistoryError ? FAILURES[error.code] : undefined;
  if (!failure) throw error;
  return wrong(failure.id, (error as HistoryError).message.split(': ')[0] ?? '', failure.change);
}

function canRead(directory: string): boolean {
  try {
    accessSync(directory, constants.R_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Creates and removes a folder: the permission bits do not show a read-only mount. */
function canWrite(directory: string): boolean {
  try {
    rmdirSync(mkdtempSync(path.join(directory, '.check-config-')));
    return true;
  } catch {
    return false;
  }
}

function nearestExisting(directory: string): string {
  let existing = path.resolve(directory);
  while (!existsSync(existing)) existing = path.dirname(existing);
  return existing;
}
