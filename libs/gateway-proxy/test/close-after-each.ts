import type { Server } from 'node:http';
import type { Listener } from '@antelope-history/app-runtime';

/** The servers and listeners that a test adds are closed after it. */
export function closeAfterEach(): { servers: Server[]; listeners: Listener[] } {
  const servers: Server[] = [];
  const listeners: Listener[] = [];
  afterEach(async () => {
    await Promise.all(listeners.splice(0).map((listener) => listener.close()));
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });
  return { servers, listeners };
}
