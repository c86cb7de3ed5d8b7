import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

/**
 * Below the ports that systems give to outgoing connections and to servers that ask for any port (Linux from 32768, macOS and
 * Windows from 49152): nothing else takes a port of these between the search and its use, or while its server restarts.
 */
const FIRST_PORT = 15_000;
const LAST_PORT = 32_000;
const MAX_ATTEMPTS = 100;

/** Different ports of this machine on which nothing listens now. */
export async function findFreePorts(count: number): Promise<number[]> {
  const servers: Server[] = [];
  const ports: number[] = [];
  try {
    for (let attempt = 1; ports.length < count; attempt++) {
      const port = randomInt(FIRST_PORT, LAST_PORT);
      const server = await listenOn(port).catch((error: unknown) => {
        if (attempt >= MAX_ATTEMPTS) throw error;
      });
      if (!server) continue;
      servers.push(server);
      ports.push(port);
    }
  } finally {
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }
  return ports;
}

async function listenOn(port: number): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return server;
}
