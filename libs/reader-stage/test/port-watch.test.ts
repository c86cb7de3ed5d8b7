import { createServer, type AddressInfo, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitForPort } from '../src/port-watch';

/** A server on a port; 0 = any free one. */
async function listenOn(port: number): Promise<{ server: Server; port: number }> {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return { server, port: (server.address() as AddressInfo).port };
}

const close = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()));

describe('a port', () => {
  it('is noticed when it begins to listen', async () => {
    const { server, port } = await listenOn(0);
    await close(server);
    let noticed = false;
    const waiting = waitForPort(`ws://127.0.0.1:${port}/`, new AbortController().signal).then(() => (noticed = true));
    await sleep(400);
    expect(noticed).toBe(false);
    const { server: again } = await listenOn(port);
    await waiting;
    await close(again);
  });

  it('is not waited for any more when the reader stops', async () => {
    const { server, port } = await listenOn(0);
    await close(server);
    const stopping = new AbortController();
    const waiting = waitForPort(`ws://127.0.0.1:${port}/`, stopping.signal);
    stopping.abort();
    await waiting;
  });

  it('that listens already changes nothing', async () => {
    const { server, port } = await listenOn(0);
    const waiting = waitForPort(`ws://127.0.0.1:${port}/`, new AbortController().signal);
    await expect(Promise.race([waiting, sleep(600, 'still waiting')])).resolves.toBe('still waiting');
    await close(server);
  });
});
