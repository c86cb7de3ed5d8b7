import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { HistoryError } from '@antelope-history/schemas';
import {
  addressesIn,
  closeSocket,
  connectTo,
  isAlive,
  listenIn,
  type LockSocket,
  type SocketRole,
  socketFolders,
} from './lock-sockets';
import { OPENING_LIMIT_MS, openingLasts } from './opening-gate';
import { identityIn, isAmbiguous, ownIdentity, type ProcessIdentity } from './process-identity';

/** A writer answers between two commits, of which a large one may take seconds. */
const WRITER_LIMIT_MS = 60_000;
const RETRY_MS = 20;

interface HeldWriter {
  connection: Socket;
  identity: ProcessIdentity;
}

/**
 * Calls `open`, which opens the environment of a data directory, while no process commits to it; see `OpeningGate`. `isWritten`:
 * whether a process writes to the directory. A writer that starts meanwhile finds this process by its socket, and waits. Rejects
 * with `STORE_UNAVAILABLE` when the writer does not answer or has the id of this process in another container, and as `open`.
 */
export async function openBetweenCommits<T>(directory: string, open: (isWritten: boolean) => T): Promise<T> {
  // Before the look for writers: of an opener and a writer that start at once, one finds the other.
  const own = await announce(directory);
  try {
    const writers = await holdCommits(directory);
    try {
      if (writers.some(({ identity }) => isAmbiguous(identity, ownIdentity()))) throw sameProcessId(directory);
      return open(writers.length > 0);
    } finally {
      release(writers);
    }
  } finally {
    if (own) await closeSocket(own);
  }
}

/** Waits for the processes that began to open a directory before its writer listened. Rejects with `STORE_UNAVAILABLE`. */
export async function waitForOpenings(directory: string): Promise<void> {
  const deadline = performance.now() + OPENING_LIMIT_MS;
  for (const address of addressesOf(directory, 'opener')) {
    while (await isAlive(address)) {
      if (performance.now() > deadline) throw openingLasts();
      await sleep(RETRY_MS);
    }
  }
}

/** Undefined where this process may create no socket; it may not write the data there either. */
async function announce(directory: string): Promise<LockSocket | undefined> {
  for (const folder of socketFolders(directory, 'opener')) {
    try {
      return await listenIn(folder, (visitor) => visitor.destroy());
    } catch {
      continue;
    }
  }
  return undefined;
}

/** The writers of a directory, which do not commit until they are released. There is one, or several that compete for the lock. */
async function holdCommits(directory: string): Promise<HeldWriter[]> {
  const limit = AbortSignal.timeout(WRITER_LIMIT_MS);
  while (!limit.aborted) {
    const asked = await Promise.all(addressesOf(directory, 'writer').map((address) => askWriter(address, limit)));
    const held = asked.filter((writer) => typeof writer === 'object');
    if (!asked.includes('silent')) return held;
    release(held);
    await sleep(RETRY_MS);
  }
  throw new HistoryError(
    'STORE_UNAVAILABLE',
    `the process that writes to ${directory} lets no other one open it: it must run, and be of this version`,
  );
}

function release(writers: readonly HeldWriter[]): void {
  for (const { connection } of writers) connection.destroy();
}

/** Waits until the writer behind a socket sends its identity. `dead`: no process listens; `silent`: it ends, or does not answer. */
async function askWriter(address: string, limit: AbortSignal): Promise<HeldWriter | 'dead' | 'silent'> {
  const connection = await connectTo(address).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EPERM') throw forbidden(address);
    return 'silent' as const;
  });
  if (!connection) return 'dead';
  if (connection === 'silent') return 'silent';
  // The event 'close' follows an error.
  connection.on('error', () => undefined);
  const sent = once(connection, 'data', { signal: limit }).then(([bytes]) => identityIn(bytes as Buffer));
  const closed = once(connection, 'close', { signal: limit }).then(() => undefined);
  const identity = await Promise.race([sent, closed]).catch(() => undefined);
  if (identity) return { connection, identity };
  connection.destroy();
  return 'silent';
}

function addressesOf(directory: string, role: SocketRole): string[] {
  return socketFolders(directory, role).flatMap((folder) => addressesIn(folder));
}

function forbidden(address: string): HistoryError {
  const advice = 'run this program as the user of the process that writes the data';
  return new HistoryError('STORE_UNAVAILABLE', `the socket ${address} may not be opened by this user: ${advice}`);
}

function sameProcessId(directory: string): HistoryError {
  return new HistoryError(
    'STORE_UNAVAILABLE',
    `the process that writes to ${directory} has the id ${process.pid} of this one in another container, and LMDB takes them for one: ` +
      'run this program in that container, or in its PID namespace',
  );
}
