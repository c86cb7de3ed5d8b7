import type { Server } from 'node:net';

let accepted = 0;

/** Counts the connections that a server accepts. */
export function countAccepted(server: Server): void {
  server.on('connection', () => {
    accepted++;
  });
}

/**
 * Number of connections that all servers of this thread have accepted. libuv (1.45 and later) accepts one connection per
 * iteration of the event loop and server: while the number grows, more connections can be waiting, and each of them waits for
 * at least one iteration.
 */
export function acceptedConnections(): number {
  return accepted;
}
