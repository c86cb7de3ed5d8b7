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

/** A writer answers between two commits, of which a large one may take seconds. */
const WRITER_LIMIT_MS = 60_000;
const RETRY_MS = 20;

/**
 * Calls `open`, which opens the environment of a data directory, while no process commits to it; see `OpeningGate`. `isWritten`:
 * whether a process writes to the directory. A writer that starts meanwhile finds this process by its socket, and waits. Rejects
 * with `STORE_UNAVAILABLE` when the writer does not answer, and as `open`.
 */
export async function openBetweenCommits<T>(directory: string, open: (isWritten: boolean) => T): Promise<T> {
  // Before the look for writers: of an opener and a writer that start at once, one finds the other.
  const own = await announce(directory);
  try {
    const writers = await holdCommits(directory);
    try {
      return open(writers.length > 0);
    } finally {
      for (const writer of writers) writer.destroy();
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

/** The connections to the writers of a directory, which do not commit until they are closed. */
async function holdCommits(directory: string): Promise<Socket[]> {
  const limit = AbortSignal.timeout(WRITER_LIMIT_MS);
  while (!limit.aborted) {
    const held = await tryHoldCommits(directory, limit);
    if (held) return held;
    await sleep(RETRY_MS);
  }
  throw new HistoryError(
    'STORE_UNAVAILABLE',
    `the process that writes to ${directory} lets no other one open it: it must run, and be of this version`,
  );
}

/** Undefined when a writer ended, or does not answer. */
async function tryHoldCommits(directory: string, limit: AbortSignal): Promise<Socket[] | undefined> {
  const held: Socket[] = [];
  for (const address of addressesOf(directory, 'writer')) {
    const writer = await connectTo(address).catch(() => 'busy' as const);
    if (!writer) continue;
    if (writer !== 'busy' && (await mayOpen(writer, limit))) {
      held.push(writer);
      continue;
    }
    for (const other of held) other.destroy();
    return undefined;
  }
  return held;
}

/** Waits for the writer's `MAY_OPEN`; false when it disconnects, or at the limit. */
async function mayOpen(writer: Socket, limit: AbortSignal): Promise<boolean> {
  // The event 'close' follows an error.
  writer.on('error', () => undefined);
  const answered = once(writer, 'data', { signal: limit }).then(() => true);
  const closed = once(writer, 'close', { signal: limit }).then(() => false);
  const may = await Promise.race([answered, closed]).catch(() => false);
  if (!may) writer.destroy();
  return may;
}

function addressesOf(directory: string, role: SocketRole): string[] {
  return socketFolders(directory, role).flatMap((folder) => addressesIn(folder));
}
