import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
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

  it.each([1, 3])('tells a client with %i requests in progress that the connection ends', async (requests) => {
    const waiting: ServerResponse[] = [];
    const listener = await listen((_request, response) => void waiting.push(response), { host: '127.0.0.1', port: 0 });
    const client = await open(listener, 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(requests));
    const received = text(client);
    while (waiting.length === 0) await sleep(5);
    const closed = listener.close();
    for (let response = waiting.shift(); response; response = waiting.shift()) {
      response.end('done');
      await sleep(20);
    }
    await closed;
    const connections = [...(await received).matchAll(/^connection: (.*)\r$/gim)].map(([, value]) => value);
    expect(connections).toEqual([...Array.from({ length: requests - 1 }, () => 'keep-alive'), 'close']);
  });
});

describe('an address that cannot be listened on', () => {
  it.each([
    ['in use', '127.0.0.1', /^cannot listen on 127\.0\.0\.1:\d+: another program listens there; stop it, or/],
    ['of another machine', '203.0.113.9', /^cannot listen on 203\.0\.113\.9:\d+: this machine has no such address/],
    ['with an unknown host', 'host.invalid', /^cannot listen on host\.invalid:\d+: the host name /],
  ])('%s: the error says why and what to do', async (_case, host, message) => {
    const { port, close } = await listen(() => undefined, { host: '127.0.0.1', port: 0 });
    await expect(listen(() => undefined, { host, port })).rejects.toThrow(message);
    await close();
  });
});

describe('a CONNECT request', () => {
  const responseTo = async (bytes: string) => {
    const listener = await listen((_request, response) => void setTimeout(() => response.end('done'), 200), {
      host: '127.0.0.1',
      port: 0,
    });
    const client = connect(listener.port, '127.0.0.1');
    client.on('error', () => undefined);
    client.write(bytes);
    const chunks: Buffer[] = [];
    client.on('data', (chunk) => chunks.push(chunk));
    // The client ends its side only after the server has.
    await once(client, 'close');
    await listener.close();
    return Buffer.concat(chunks).toString();
  };

  it('gets an error, and the connection is closed', async () => {
    const response = await responseTo('CONNECT example.org:443 HTTP/1.1\r\nhost: example.org:443\r\n\r\nhello');
    expect(response).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[^]*no proxy/);
  });

  it('does not keep its connection, nor end the process when the client resets it', async () => {
    let served: Server | undefined;
    const { port, close } = await listen(() => undefined, {
      host: '127.0.0.1',
      port: 0,
      limit: (server) => void (served = server),
    });
    const refused = once(served!, 'connect');
    const open = new Promise<number>((resolve, reject) => {
      served!.on('connection', (socket: Socket) => socket.once('close', () => setImmediate(count, resolve, reject)));
    });
    const count = (resolve: (left: number) => void, reject: (error: Error) => void): void => {
      served!.getConnections((error, left) => (error ? reject(error) : resolve(left)));
    };
    // It never ends its side.
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    client.on('error', () => undefined);
    client.write('CONNECT a:1 HTTP/1.1\r\nhost: a:1\r\n\r\n');
    const [, socket] = (await refused) as [unknown, Socket];
    expect(await open).toBe(0);
    expect(socket.emit('error', new Error('read ECONNRESET'))).toBe(true);
    client.destroy();
    await close();
  }, 15_000);

  it('gets no response before that to an earlier request', async () => {
    const response = await responseTo('GET /slow HTTP/1.1\r\nhost: x\r\n\r\nCONNECT a:1 HTTP/1.1\r\nhost: a:1\r\n\r\n');
    expect(response).toBe('');
  });
});
