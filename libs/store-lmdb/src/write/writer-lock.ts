import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { HistoryError } from '@antelope-history/schemas';

/** The exclusive right to write to a directory; the operating system frees it when the holder dies. */
export interface WriterLock {
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
 * two writers, the later one always finds the other. A socket listens as long as its process (or thread) lives, whatever ends
 * it. No socket name is used twice, so any writer may delete the file of a dead one.
 *
 * Throws `STORE_IN_USE` when another writer has the lock, `STORE_UNAVAILABLE` when no socket can be created.
 */
export async function takeWriterLock(directory: string): Promise<WriterLock> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const server = await tryLock(directory);
    if (server) return { release: () => close(server) };
    await setTimeout(Math.random() * LONGEST_WAIT_MS);
  }
  throw new HistoryError('STORE_IN_USE', `another process writes to ${directory}: stop it first`);
}

/** Undefined when another writer listens. */
async function tryLock(directory: string): Promise<Server | undefined> {
  let failure: unknown;
  for (const location of socketFolders(realpathSync(directory))) {
    try {
      return await tryLockAt(location);
    } catch (error) {
      failure = error;
    }
  }
  throw new HistoryError('STORE_UNAVAILABLE', `the data directory ${directory} cannot be locked`, { cause: failure });
}

/** A folder for the sockets of a data directory; their names begin with `prefix`. */
interface SocketFolder {
  folder: string;
  prefix: string;
}

const NAME_BYTES = 6;
const SUFFIX = '.sock';
/** The limit of a socket's address: 104 bytes on macOS, 108 on Linux, with the terminating zero. */
const MAX_ADDRESS_BYTES = 103;

const YOUNG_MS = 60_000;

/**
 * The folders to try, in order: the data directory itself, which every process (or container) that sees the data sees too;
 * then the directory for temporary files, if the file system takes no sockets or the path is too long for one.
 */
function socketFolders(directory: string): SocketFolder[] {
  const hash = createHash('sha256').update(directory).digest('hex').slice(0, 16);
  const inside = { folder: directory, prefix: 'writer-' };
  const outside = { folder: tmpdir(), prefix: `antelope-history-${hash}-` };
  // Windows lists named pipes like files and removes them with the process that created them.
  if (process.platform === 'win32') return [{ folder: '\\\\.\\pipe\\', prefix: outside.prefix }];
  const fits = Buffer.byteLength(newAddress(inside)) <= MAX_ADDRESS_BYTES;
  return fits ? [inside, outside] : [outside];
}

function newAddress({ folder, prefix }: SocketFolder): string {
  return path.join(folder, `${prefix}${randomBytes(NAME_BYTES).toString('hex')}${SUFFIX}`);
}

async function tryLockAt(location: SocketFolder): Promise<Server | undefined> {
  const address = newAddress(location);
  const server = await listen(address);
  if (!(await hasOtherListener(location, address))) return server;
  await close(server);
  return undefined;
}

async function hasOtherListener(location: SocketFolder, own: string): Promise<boolean> {
  for (const name of readdirSync(location.folder)) {
    const address = path.join(location.folder, name);
    if (!name.startsWith(location.prefix) || !name.endsWith(SUFFIX) || address === own) continue;
    if (await isAlive(address)) return true;
    removeDead(address);
  }
  return false;
}

/** A socket also refuses between its creation and its first listening, so a young one is kept. */
function removeDead(address: string): void {
  const createdAt = statSync(address, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
  if (Date.now() - createdAt > YOUNG_MS) rmSync(address, { force: true });
}

/** Only a refused connection proves that no process listens; any other error may come from a busy one. */
function isAlive(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    const settle = (alive: boolean): void => {
      socket.destroy();
      resolve(alive);
    };
    socket.once('connect', () => settle(true));
    socket.once('error', (error: NodeJS.ErrnoException) => {
      settle(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT');
    });
  });
}

function listen(address: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    // A connection only asks whether this process lives.
    const server = createServer((visitor) => visitor.destroy());
    server.once('error', reject);
    server.listen(address, () => resolve(server.unref()));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
