import { once } from 'node:events';
import { existsSync, realpathSync } from 'node:fs';
import { open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { HistoryError } from '@antelope-history/schemas';
import type { ChainStatus } from '@antelope-history/store';
import { createDirectory } from '../format/create-directory';
import { dataFileIn, lockFileIn } from '../format/environment';
import { takeWriterLock, type WriterLock } from '../lock/writer-lock';
import { openExistingTables, openLmdbStoreReader } from '../read/open-reader';
import { MIN_FREE_BYTES } from '../write/disk-room';

export interface LmdbBackupOptions {
  /** The data directory, which may be written meanwhile. */
  from: string;
  /** A directory that does not exist yet; it has no name before it is whole. */
  to: string;
  /** Leaves free pages out: smaller, and slower to make. */
  isCompact: boolean;
  /** Called with the bytes copied so far. */
  onProgress?(copied: number, total: number): void;
  /** Aborts to give up the copy. */
  signal?: AbortSignal;
}

export interface LmdbBackup {
  /** What the copy holds. */
  status: ChainStatus;
  bytes: number;
}

const LOOK_EVERY_MS = 500;

/**
 * Copies a data directory as it is at one commit. The writer keeps the pages of that commit until the copy is made, so that the
 * data file grows by what is written meanwhile. The copy is on disk, and was opened and read, when the promise resolves. Rejects
 * with `CONFIG_INVALID` when `to` exists or lies in `from`, with `STORE_IN_USE` when another process makes a copy of this name, with
 * `STORE_FULL` when there is no room for it, with `STOPPED` when the signal aborts, and as `openLmdbStoreReader`. After `STOPPED`
 * nothing of the copy is left, but LMDB works on until the process ends: it cannot be interrupted.
 */
export async function backUpLmdb(options: LmdbBackupOptions): Promise<LmdbBackup> {
  const { from, to } = options;
  assertNew(to);
  assertOutside(from, to);
  const partial = `${path.resolve(to)}.partial`;
  makeDirectory(partial);
  const lock = await lockCopy(partial, to);
  try {
    // Another process may have completed the copy while this one waited for the lock.
    assertNew(to);
    await removeCopy(partial);
    await copyTo(partial, options);
    const status = await readCopy(partial, from);
    const { size: bytes } = await stat(dataFileIn(partial));
    await rename(partial, to);
    await removeSockets(to);
    await syncToDisk(path.dirname(path.resolve(to)));
    return { status, bytes };
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  } finally {
    await lock.release();
  }
}

function assertNew(to: string): void {
  if (existsSync(to)) throw new HistoryError('CONFIG_INVALID', `${to} exists: name a new directory`);
}

/** A copy in the data directory would be lost with it, and would move with it in a restore. */
function assertOutside(from: string, to: string): void {
  const inside = path.relative(realPathOf(path.resolve(from)), realPathOf(path.resolve(to)));
  if (inside === '..' || inside.startsWith(`..${path.sep}`) || path.isAbsolute(inside)) return;
  throw new HistoryError('CONFIG_INVALID', `${to} is in the data directory ${from}: name a directory outside of it`);
}

/** The path without symbolic links, of which the last parts need not exist. */
function realPathOf(file: string): string {
  if (existsSync(file) || path.dirname(file) === file) return realpathSync(file);
  return path.join(realPathOf(path.dirname(file)), path.basename(file));
}

async function lockCopy(partial: string, to: string): Promise<WriterLock> {
  try {
    return await takeWriterLock(partial, 'copier');
  } catch (error) {
    // Another process may have completed the copy meanwhile.
    assertNew(to);
    throw error;
  }
}

/** Removes what a copy has that was killed. */
async function removeCopy(directory: string): Promise<void> {
  for (const file of [dataFileIn(directory), lockFileIn(directory)]) await rm(file, { force: true });
}

/** The socket of the lock moves with the directory. */
async function removeSockets(directory: string): Promise<void> {
  const others = new Set([dataFileIn(directory), lockFileIn(directory)]);
  const files = (await readdir(directory)).map((name) => path.join(directory, name));
  for (const file of files) if (!others.has(file)) await rm(file, { force: true });
}

/** Throws `CONFIG_INVALID` when the directory cannot be created. */
function makeDirectory(directory: string): void {
  try {
    createDirectory(directory);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const parent = path.dirname(directory);
    throw new HistoryError('CONFIG_INVALID', `no directory can be created in ${parent} (${code})`, { cause });
  }
}

async function copyTo(partial: string, { from, isCompact, onProgress, signal }: LmdbBackupOptions): Promise<void> {
  const { root } = await openExistingTables({ path: from, mapSizeBytes: 0 });
  const { size: total } = await stat(dataFileIn(from));
  const timer = setInterval(() => {
    stat(dataFileIn(partial)).then(
      ({ size }) => onProgress?.(size, total),
      () => undefined,
    );
  }, LOOK_EVERY_MS);
  try {
    await assertRoom(partial, total);
    await unlessStopped(root.backup(partial, isCompact), signal);
    await syncToDisk(dataFileIn(partial));
  } finally {
    clearInterval(timer);
    // A copy that was given up still reads the data file.
    if (!signal?.aborted) await root.close();
  }
}

async function unlessStopped(copying: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  const stopped = signal && (signal.aborted || once(signal, 'abort'));
  await Promise.race([copying, ...(stopped ? [stopped] : [])]);
  if (signal?.aborted) throw new HistoryError('STOPPED', 'the copy was interrupted, and nothing of it is left');
}

async function assertRoom(directory: string, needed: number): Promise<void> {
  const { bavail, bsize } = await statfs(directory);
  if (bavail * bsize >= needed + MIN_FREE_BYTES) return;
  const mib = (bytes: number): number => Math.ceil(bytes / 1024 / 1024);
  const why = `${mib(needed + MIN_FREE_BYTES)} MiB are needed, ${mib(bavail * bsize)} are free`;
  throw new HistoryError('STORE_FULL', `no room for a copy in ${path.dirname(directory)}: ${why}`);
}

/** Opens the copy as a service does, and reads its newest block and its newest action. */
async function readCopy(directory: string, from: string): Promise<ChainStatus> {
  const reader = await openLmdbStoreReader({ path: directory, mapSizeBytes: 0 });
  try {
    const { status, block } = await reader.getBlock('latest');
    const { transactions } = await reader.getBlockTraces('latest');
    if (!status.committed) throw new HistoryError('STORE_UNAVAILABLE', `${from} holds no committed block yet`);
    if (status.firstBlockNum !== undefined && !block && transactions.length === 0) {
      throw new HistoryError('INTERNAL', `the copy of ${from} lacks its newest block`);
    }
    return status;
  } finally {
    await reader.close();
  }
}

async function syncToDisk(file: string): Promise<void> {
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
