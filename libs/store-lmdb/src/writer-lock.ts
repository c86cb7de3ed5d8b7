import { createHash } from 'node:crypto';
import { realpathSync, renameSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { HistoryError } from '@antelope-history/schemas';

/** A directory that nobody else may write to; the operating system gives it free when its holder dies. */
export interface WriterLock {
  release(): Promise<void>;
}

/**
 * Takes the one right to write to a data directory. A writer knows the ends of its lists by heart, so two of them
 * would overwrite each other's. The lock is a listening socket: it is there as long as the process (or the thread)
 * lives that listens, and no longer, however that ends. Readers need none.
 *
 * Throws `STORE_IN_USE` when somebody else has it, `STORE_UNAVAILABLE` when no socket can be made.
 */
export async function takeWriterLock(directory: string): Promise<WriterLock> {
  let failure: unknown;
  for (const address of addressesOf(realpathSync(directory))) {
    try {
      const server = (await tryListen(address)) ?? (await listenAfterTheDead(address));
      if (server) return { release: () => close(server) };
      throw new HistoryError('STORE_IN_USE', `another process writes to ${directory}: stop it first`);
    } catch (error) {
      if (error instanceof HistoryError) throw error;
      failure = error;
    }
  }
  throw new HistoryError('STORE_UNAVAILABLE', `the data directory ${directory} cannot be locked`, { cause: failure });
}

/** Addresses of sockets are short: 104 bytes on macOS, 108 on Linux, the end mark included. */
const MAX_ADDRESS_BYTES = 103;

/**
 * In the directory itself, where everybody sees it who sees the data, containers included. Where the file system takes
 * no sockets, or the path is too long for one, in the directory for temporary files.
 */
function addressesOf(directory: string): string[] {
  const name = `antelope-history-${createHash('sha256').update(directory).digest('hex').slice(0, 24)}`;
  if (process.platform === 'win32') return [`\\\\.\\pipe\\${name}`];
  const inside = path.join(directory, 'writer.sock');
  const outside = path.join(tmpdir(), `${name}.sock`);
  return Buffer.byteLength(inside) <= MAX_ADDRESS_BYTES ? [inside, outside] : [outside];
}

/** Undefined when the address is taken, by a living process or by what a dead one left. */
function tryListen(address: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    // Whoever connects only wants to know that we live.
    const server = createServer((visitor) => visitor.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen(address, () => resolve(server.unref()));
  });
}

/** Takes an address over whose holder died. Undefined when it lives. */
async function listenAfterTheDead(address: string): Promise<Server | undefined> {
  if (process.platform === 'win32' || (await isAlive(address))) return undefined;
  // Of two that find the same dead socket one moves it away; should the other move the first one's living socket, it
  // sees that it lives and puts it back.
  const aside = `${address}.${process.pid}.${Date.now()}`;
  try {
    renameSync(address, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return tryListen(address);
  }
  if (await isAlive(aside)) {
    renameSync(aside, address);
    return undefined;
  }
  rmSync(aside, { force: true });
  return tryListen(address);
}

/** Only a refusal shows that nobody listens; anything else might be a holder that is busy. */
function isAlive(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    const answer = (alive: boolean): void => {
      socket.destroy();
      resolve(alive);
    };
    socket.once('connect', () => answer(true));
    socket.once('error', (error: NodeJS.ErrnoException) =>
      answer(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT'),
    );
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
