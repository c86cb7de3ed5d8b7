import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';

/** `memory`: servers keep their data in memory if it has room, as tests need them for minutes and never after a crash. */
export const DATA_VARIABLE = 'HISTORY_TEST_SERVER_DATA';

/** The file system in memory that Linux has; containers often have one of 64 MB. */
const MEMORY = '/dev/shm';
/** Several servers run at once, and the machine needs its memory for the tests, too. */
const MIN_FREE_BYTES = 4 * 2 ** 30;
/** Hexadecimal digits that tell apart folders of the same name. */
const PATH_DIGITS = 16;

/** Makes the folder of a server that starts, in memory or below the folder of all servers. */
export function makeServerFolder(services: string, name: string): string {
  return mkdtempSync(path.join(dataFolder(services), `${name}-`));
}

/** Removes what servers that were killed have left in memory. No server of this folder may run. */
export function removeServerFolders(services: string): void {
  if (isOwn(inMemory(services))) rmSync(inMemory(services), { recursive: true, force: true });
}

/**
 * A test server synchronises its files with the disk at each change of an index, which takes a third of the time of such a
 * change.
 */
function dataFolder(services: string): string {
  if (process.env[DATA_VARIABLE] !== 'memory' || !hasRoom()) return services;
  const folder = inMemory(services);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o755 });
  } catch {
    return services;
  }
  return isOwn(folder) ? folder : services;
}

/** Each folder of servers has its own: with another temporary folder, other servers of this user may run. */
export function inMemory(services: string): string {
  const digest = createHash('sha256').update(path.resolve(services)).digest('hex');
  return path.join(MEMORY, `${path.basename(services)}-${digest.slice(0, PATH_DIGITS)}`);
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= MIN_FREE_BYTES;
  } catch {
    return false;
  }
}

/** Whether a folder exists and belongs to this user: anybody can write to the file system in memory. */
function isOwn(folder: string): boolean {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && stat.uid === userInfo().uid;
}
