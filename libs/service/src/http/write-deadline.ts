import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** A client that reads slower keeps a response, and what made it, for nothing. */
const LEAST_BYTES_PER_SECOND = 1024;
/** A deadline is exceeded by a quarter of it at most. */
const CHECKS_PER_DEADLINE = 4;

interface Progress {
  /** When the bytes were last seen to leave as fast as they must. */
  at: number;
  /** Bytes that had left by then. */
  sent: number;
}

/**
 * Breaks off connections whose client does not read: where bytes wait, at least `LEAST_BYTES_PER_SECOND` have to leave,
 * counted over the deadline.
 */
export function setWriteDeadline(server: Server, seconds: number, onBrokenOff: () => void): void {
  const sockets = new Set<Socket>();
  const isStalled = stallDetector(seconds);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const timer = setInterval(
    () => {
      for (const socket of sockets) if (isStalled(socket)) breakOff(socket);
    },
    (seconds * 1000) / CHECKS_PER_DEADLINE,
  );
  timer.unref();
  server.once('close', () => clearInterval(timer));

  function breakOff(socket: Socket): void {
    onBrokenOff();
    socket.destroy();
  }
}

/**
 * Makes a function that is asked about sockets again and again, and tells which ones were too slow for so long. Of a
 * socket's bytes, those that the system took count as sent; the rest waits in this process.
 */
export function stallDetector(seconds: number): (socket: Socket) => boolean {
  const noted = new WeakMap<Socket, Progress>();
  return (socket) => {
    const now = performance.now();
    const waiting = socket.writableLength;
    const sent = socket.bytesWritten - waiting;
    const progress = noted.get(socket);
    if (!progress || waiting === 0 || sent - progress.sent >= LEAST_BYTES_PER_SECOND * seconds) {
      noted.set(socket, { at: now, sent });
      return false;
    }
    return now - progress.at >= seconds * 1000;
  };
}
