import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** A client that reads slower than this counts as stalled: its response occupies memory. */
const MIN_BYTES_PER_SECOND = 1024;
/** A connection is closed at most a quarter of the deadline late. */
const CHECKS_PER_DEADLINE = 4;

interface Progress {
  /** The last time at which the rate was sufficient, by `performance.now()`. */
  at: number;
  /** Bytes sent by then. */
  sent: number;
}

/**
 * Closes connections whose client does not read: while bytes wait, the client must read at least `MIN_BYTES_PER_SECOND` on
 * average over the deadline of `seconds`.
 */
export function setWriteDeadline(server: Server, seconds: number, onClosed: () => void): void {
  const sockets = new Set<Socket>();
  const isStalled = stallDetector(seconds);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const timer = setInterval(
    () => {
      for (const socket of sockets) if (isStalled(socket)) close(socket);
    },
    (seconds * 1000) / CHECKS_PER_DEADLINE,
  );
  timer.unref();
  server.once('close', () => clearInterval(timer));

  function close(socket: Socket): void {
    onClosed();
    socket.destroy();
  }
}

/**
 * Returns a predicate that is called repeatedly for each socket, and is true when the socket was too slow for `seconds`. Bytes
 * that the kernel accepted count as sent; the others wait in this process.
 */
export function stallDetector(seconds: number): (socket: Socket) => boolean {
  const noted = new WeakMap<Socket, Progress>();
  return (socket) => {
    const now = performance.now();
    const waiting = socket.writableLength;
    const sent = socket.bytesWritten - waiting;
    const progress = noted.get(socket);
    if (!progress || waiting === 0 || sent - progress.sent >= MIN_BYTES_PER_SECOND * seconds) {
      noted.set(socket, { at: now, sent });
      return false;
    }
    return now - progress.at >= seconds * 1000;
  };
}
