import { createHash, randomBytes } from 'node:crypto';
import { closeSync, fstatSync, openSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * The sockets by which the processes that use a data directory find each other. A socket listens as long as its process (or
 * thread) lives, whatever ends it. No socket name is used twice, so any process may delete the file of a dead one.
 */

/** What the process behind a socket does: it writes the data, is about to open it, or makes a copy there. */
export type SocketRole = 'writer' | 'opener' | 'copier';

/** A folder for the sockets of a data directory; their names begin with `prefix`. */
export interface SocketFolder {
  folder: string;
  prefix: string;
}

export interface LockSocket {
  server: Server;
  address: string;
}

const NAME_BYTES = 6;
const SUFFIX = '.sock';
const LONGEST_PREFIX = 'opener-';
/** The limit of a socket's address: 104 bytes on macOS, 108 on Linux, with the terminating zero. */
const MAX_ADDRESS_BYTES = 103;

const YOUNG_MS = 60_000;

/** Many times the processes that open a directory at once; further ones try again. */
const MAX_VISITORS = 100;

/**
 * The folders to try, in order: the data directory itself, which every process (or container) that sees the data sees too;
 * then the directory for temporary files, if the file system takes no sockets. Others may listen in any of them.
 */
export function socketFolders(directory: string, role: SocketRole): SocketFolder[] {
  const real = realpathSync(directory);
  const hash = createHash('sha256').update(real).digest('hex').slice(0, 16);
  const inside = { folder: shortPathOf(real), prefix: `${role}-` };
  const outside = { folder: tmpdir(), prefix: `antelope-history-${role === 'writer' ? '' : `${role}-`}${hash}-` };
  // Windows lists named pipes like files and removes them with the process that created them.
  if (process.platform === 'win32') return [{ folder: '\\\\.\\pipe\\', prefix: outside.prefix }];
  const fits = Buffer.byteLength(newAddress(inside)) <= MAX_ADDRESS_BYTES;
  return fits ? [inside, outside] : [outside];
}

/** Open descriptors of directories whose path is too long for the address of a socket. */
const descriptors = new Map<string, number>();

/** On Linux, a path by which a socket in the directory fits into an address, however long its own is. */
function shortPathOf(directory: string): string {
  const fits = Buffer.byteLength(newAddress({ folder: directory, prefix: LONGEST_PREFIX })) <= MAX_ADDRESS_BYTES;
  if (fits || process.platform !== 'linux') return directory;
  const known = descriptors.get(directory);
  if (known !== undefined && fstatSync(known).ino === statSync(directory).ino) return `/proc/self/fd/${known}`;
  if (known !== undefined) closeSync(known);
  const descriptor = openSync(directory, 'r');
  descriptors.set(directory, descriptor);
  return `/proc/self/fd/${descriptor}`;
}

/** Listens on a new socket of the folder. Rejects when the folder takes none. */
export function listenIn(folder: SocketFolder, onVisitor: (visitor: Socket) => void): Promise<LockSocket> {
  const address = newAddress(folder);
  return new Promise((resolve, reject) => {
    const server = createServer(onVisitor);
    server.maxConnections = MAX_VISITORS;
    server.once('error', reject);
    server.listen(address, () => resolve({ server: server.unref(), address }));
  });
}

/** Resolves when the socket has no more visitors. */
export function closeSocket({ server }: LockSocket): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}

/** The addresses of the sockets in a folder, without `own`; those of dead processes are among them. */
export function addressesIn({ folder, prefix }: SocketFolder, own?: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.startsWith(prefix) && name.endsWith(SUFFIX))
    .map((name) => path.join(folder, name))
    .filter((address) => address !== own);
}

/**
 * Connects to a socket. Undefined when no process listens, which only a refused connection proves; rejects with any other error,
 * which may come from a busy process.
 */
export function connectTo(address: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(address);
    socket.once('connect', () => resolve(socket));
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve(undefined);
      else reject(error);
    });
  });
}

/** Whether the process behind a socket lives. Deletes the file of a dead one. */
export async function isAlive(address: string): Promise<boolean> {
  try {
    const socket = await connectTo(address);
    socket?.destroy();
    if (!socket) removeDead(address);
    return socket !== undefined;
  } catch {
    return true;
  }
}

/** A socket also refuses between its creation and its first listening, so a young one is kept. */
function removeDead(address: string): void {
  const createdAt = statSync(address, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
  if (Date.now() - createdAt > YOUNG_MS) rmSync(address, { force: true });
}

function newAddress({ folder, prefix }: SocketFolder): string {
  return path.join(folder, `${prefix}${randomBytes(NAME_BYTES).toString('hex')}${SUFFIX}`);
}
