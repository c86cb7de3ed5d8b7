import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen, type Listener } from './listen';

const MIB = 1024 * 1024;

describe('closing a listener', () => {
  const open = async (listener: Listener, bytes: string) => {
    const client = connect(listener.port, '127.0.0.1');
    client.on('error', () => undefined);
    await once(client, 'connect');
    client.write(bytes);
    return client;
  };

  it('does not wait for a client that does not read', async () => {
    const listener = await listen(
      (_request, response) => void response.write(Buffer.alloc(32 * MIB), () => response.end()),
      { host: '127.0.0.1', port: 0 },
    );
    const client = await open(listener, 'GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    await sleep(100);
    const startedAt = performance.now();
    await listener.close();
    // The limit for all connections, `CLOSE_LIMIT_MS`, is 5 s.
    expect(performance.now() - startedAt).toBeLessThan(4_500);
    client.destroy();
  }, 15_000);

  it('waits for the rest of a request within the stop limit of a program only', async () => {
    const listener = await listen(() => undefined, { host: '127.0.0.1', port: 0 });
    const client = await open(listener, 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n1');
    await sleep(100);
    const startedAt = performance.now();
    await listener.close();
    const waitedMs = performance.now() - startedAt;
    expect(waitedMs).toBeGreaterThan(1_000);
    // `STOP_LIMIT_MS` of a program.
    expect(waitedMs).toBeLessThan(8_000);
    client.destroy();
  }, 15_000);

  it('waits for a response in progress', async () => {
    const listener = await listen((_request, response) => void setTimeout(() => response.end('done'), 1_500), {
      host: '127.0.0.1',
      port: 0,
    });
    const client = await open(listener, 'GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    const received = once(client, 'data');
    await sleep(100);
    await listener.close();
    expect(String(((await received) as Buffer[])[0])).toMatch(/200 OK[^]*done/);
  }, 15_000);
});
