import { setTimeout } from 'node:timers/promises';
import { HistoryError } from '@antelope-history/schemas';
import {
  addressesIn,
  closeSocket,
  isAlive,
  listenIn,
  type SocketFolder,
  socketFolders,
  type SocketRole,
} from './lock-sockets';
import { OpeningGate } from './opening-gate';

/** The exclusive right to write to a directory; the operating system frees it when the holder dies. */
export interface WriterLock {
  /** Keeps the holder's commits and the openings of other processes apart. */
  readonly gate: OpeningGate;
  release(): Promise<void>;
}

/** Two writers that start at once both give up an attempt; random waits break the tie. */
const ATTEMPTS = 6;
const LONGEST_WAIT_MS = 60;

/**
 * Takes the lock of a data directory. A writer caches the ends of its lists, so two writers would overwrite each other's.
 * Readers need no lock.
 *
 * A writer listens on a socket of its own, then looks for the sockets of others, and has the lock if none of them listens: of
 * two writers, the later one always finds the other.
 *
 * `role`: each has a lock of its own. Throws `STORE_IN_USE` when another writer has the lock, `STORE_UNAVAILABLE` when no socket can
 * be created.
 */
export async function takeWriterLock(directory: string, role: SocketRole = 'writer'): Promise<WriterLock> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const lock = await tryLock(directory, role);
    if (lock) return lock;
    await setTimeout(Math.random() * LONGEST_WAIT_MS);
  }
  throw new HistoryError('STORE_IN_USE', `another process writes to ${directory}: stop it first`);
}

/** Undefined when another writer listens. */
async function tryLock(directory: string, role: SocketRole): Promise<WriterLock | undefined> {
  let failure: unknown;
  const folders = socketFolders(directory, role);
  for (const folder of folders) {
    try {
      return await tryLockIn(folder, folders);
    } catch (error) {
      failure = error;
    }
  }
  throw new HistoryError('STORE_UNAVAILABLE', `the data directory ${directory} cannot be locked`, { cause: failure });
}

/** Another writer may have found room for its socket in another folder. */
async function tryLockIn(folder: SocketFolder, all: readonly SocketFolder[]): Promise<WriterLock | undefined> {
  const gate = new OpeningGate();
  const socket = await listenIn(folder, gate.admit);
  const release = (): Promise<void> => {
    const closed = closeSocket(socket);
    gate.close();
    return closed;
  };
  for (const address of all.flatMap((each) => addressesIn(each, socket.address))) {
    if (!(await isAlive(address))) continue;
    await release();
    return undefined;
  }
  return { gate, release };
}
