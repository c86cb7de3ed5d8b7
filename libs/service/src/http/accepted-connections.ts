import type { Server } from 'node:net';

let accepted = 0;

/** Counts what a server accepts. */
export function countAccepted(server: Server): void {
  server.on('connection', () => {
    accepted++;
  });
}

/**
 * Connections that all servers of this thread have accepted. libuv (1.45 and later) accepts one per iteration of the event
 * loop and server: as long as the number grows, more may wait, and each of them for as long as an iteration takes.
 */
export function acceptedConnections(): number {
  return accepted;
}
