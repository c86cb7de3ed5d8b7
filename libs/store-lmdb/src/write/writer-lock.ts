import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { HistoryError } from '@antelope-history/schemas';

/** A directory that nobody else may write to; the operating system gives it free when its holder dies. */
export interface WriterLock {
  release(): Promise<void>;
}

/** Two that come at once both step back; waits of random length tell them apart. */
const ATTEMPTS = 6;
const LONGEST_WAIT_MS = 60;

/**
 * Takes the one right to write to a data directory. A writer knows the ends of its lists by heart, so two of them
 * would overwrite each other's. Readers need none.
 *
 * Who wants the right listens on a socket of its own and then looks for the sockets of others: the right is his who
 * finds nobody listening. Of two, the one that came later always finds the other. A socket lives as long as the
 * process (or the thread) that listens, however that ends, and as no socket's name is used twice, what a dead one left
 * can be cleared away by anybody.
 *
 * Throws `STORE_IN_USE` when somebody else has it, `STORE_UNAVAILABLE` when no socket can be made.
 */
export async function takeWriterLock(directory: string): Promise<WriterLock> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const server = await tryLock(directory);
    if (server) return { release: () => close(server) };
    await setTimeout(Math.random() * LONGEST_WAIT_MS);
  }
  throw new HistoryError('STORE_IN_USE', `another process writes to ${directory}: stop it first`);
}

/** Undefined when somebody else is there. */
async function tryLock(directory: string): Promise<Server | undefined> {
  let failure: unknown;
  for (const place of placesOf(realpathSync(directory))) {
    try {
      return await tryLockAt(place);
    } catch (error) {
      failure = error;
    }
  }
  throw new HistoryError('STORE_UNAVAILABLE', `the data directory ${directory} cannot be locked`, { cause: failure });
}

/** Where the sockets of a data directory lie; their names begin with `prefix`. */
interface Place {
  folder: string;
  prefix: string;
}

const NAME_BYTES = 6;
const SUFFIX = '.sock';
/** Addresses of sockets are short: 104 bytes on macOS, 108 on Linux, the end mark included. */
const MAX_ADDRESS_BYTES = 103;

const YOUNG_MS = 60_000;

/**
 * In the directory itself, where everybody sees them who sees the data, containers included. Where the file system
 * takes no sockets, or the path is too long for one, in the directory for temporary files.
 */
function placesOf(directory: string): Place[] {
  const hash = createHash('sha256').update(directory).digest('hex').slice(0, 16);
  const inside = { folder: directory, prefix: 'writer-' };
  const outside = { folder: tmpdir(), prefix: `antelope-history-${hash}-` };
  // The named pipes of Windows can be listed like files, and go with the process that made them.
  if (process.platform === 'win32') return [{ folder: '\\\\.\\pipe\\', prefix: outside.prefix }];
  const fits = Buffer.byteLength(newAddress(inside)) <= MAX_ADDRESS_BYTES;
  return fits ? [inside, outside] : [outside];
}

function newAddress({ folder, prefix }: Place): string {
  return path.join(folder, `${prefix}${randomBytes(NAME_BYTES).toString('hex')}${SUFFIX}`);
}

async function tryLockAt(place: Place): Promise<Server | undefined> {
  const address = newAddress(place);
  const server = await listen(address);
  if (!(await isAnyoneElseThere(place, address))) return server;
  await close(server);
  return undefined;
}

async function isAnyoneElseThere(place: Place, own: string): Promise<boolean> {
  for (const name of readdirSync(place.folder)) {
    const address = path.join(place.folder, name);
    if (!name.startsWith(place.prefix) || !name.endsWith(SUFFIX) || address === own) continue;
    if (await isAlive(address)) return true;
    clearAway(address);
  }
  return false;
}

/** A socket refuses for the moment between its making and its listening, too: a young one is left alone. */
function clearAway(address: string): void {
  const made = statSync(address, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
  if (Date.now() - made > YOUNG_MS) rmSync(address, { force: true });
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
    socket.once('error', (error: NodeJS.ErrnoException) => {
      answer(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT');
    });
  });
}

function listen(address: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    // Whoever connects only wants to know that we live.
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
