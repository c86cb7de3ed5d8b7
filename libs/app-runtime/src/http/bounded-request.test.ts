import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger, Registry } from '..';
import { createHttpApp } from './http-app';
import { listen, type Listener } from './listen';
import { readRawBody } from './raw-body';

const CHUNKED = 'HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n';
const TINY = '1\r\na\r\n'.repeat(1_000);
const LARGE = `10000\r\n${'a'.repeat(65_536)}\r\n`;

describe('a server of requests with bodies', () => {
  let listener: Listener;
  let socket: Socket;
  let received: string;

  beforeAll(async () => {
    const handlers = [
      readRawBody(1024),
      (_request: unknown, response: { end(text: string): void }) => response.end('read'),
    ];
    const app = createHttpApp({
      name: 'test',
      log: createLogger('test', 'silent'),
      registry: new Registry(),
      routes: [
        { endpoint: 'read', path: '/read', method: 'POST', handlers },
        { endpoint: 'get', path: '/get', method: 'GET', handlers: [(_request, response) => void response.end('got')] },
      ],
    });
    listener = await listen(app, { host: '127.0.0.1', port: 0 });
  });
  beforeEach(() => {
    received = '';
    socket = connect(listener.port, '127.0.0.1');
    socket.on('data', (bytes: Buffer) => (received += bytes.toString())).on('error', () => undefined);
  });
  afterEach(() => socket.destroy());
  afterAll(() => listener.close());

  /** The bytes that the socket takes of `text` again and again until the server closes the connection. */
  async function flood(text: string): Promise<number> {
    let sent = 0;
    const isClosed = new Promise<true>((resolve) => socket.once('close', () => resolve(true)));
    while (!(await Promise.race([isClosed, sleep(1, false)]))) {
      if (socket.writableLength > 1_000_000) continue;
      socket.write(text);
      sent += text.length;
    }
    return sent;
  }

  it.each(['/read', '/unknown', '/get'])('closes the connection of a body of tiny chunks to %s', async (path) => {
    socket.write(`POST ${path} ${CHUNKED}`);
    expect(await flood(TINY)).toBeLessThan(5_000_000);
  });

  it('takes a long body in chunks that are not tiny', async () => {
    const chunk = `64\r\n${'a'.repeat(100)}\r\n`;
    socket.write(`POST /read ${CHUNKED}${chunk.repeat(3_000)}0\r\n\r\n`);
    while (!received.includes('413') && !socket.destroyed) await sleep(5);
    expect(received).toMatch(/^HTTP\/1.1 413 /);
  });

  it('closes the connection soon after a response to a body that nobody reads', async () => {
    socket.write(`POST /unknown ${CHUNKED}`);
    const startedAt = performance.now();
    await flood(LARGE);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(received).toMatch(/^HTTP\/1.1 404 /);
  });

  it('takes the next request after the rest of such a body', async () => {
    socket.write('POST /unknown HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n12345');
    while (!received.includes('404')) await sleep(5);
    socket.write('67890GET /get HTTP/1.1\r\nhost: x\r\n\r\n');
    while (!received.endsWith('got')) await sleep(5);
    // The connection stays open after the time for the rest.
    await sleep(1_100);
    socket.write('GET /get HTTP/1.1\r\nhost: x\r\n\r\n');
    while (received.match(/got/g)?.length !== 2) await sleep(5);
  });

  it('reads a body that comes in some small chunks', async () => {
    socket.write(`POST /read ${CHUNKED}`);
    for (let count = 0; count < 50; count++) socket.write('2\r\n{}\r\n');
    socket.write('0\r\n\r\n');
    while (!received.endsWith('read')) await sleep(5);
  });

  it.each(['http://[/', 'http://x:99999/get', 'http://a:b/', 'x:', 'foo://h', 'https:', '*', 'get'])(
    'refuses the target %s',
    async (target) => {
      socket.write(`GET ${target} HTTP/1.1\r\nhost: x\r\n\r\n`);
      while (!received.includes('"details"')) await sleep(5);
      expect(received).toMatch(/^HTTP\/1.1 40[04] /);
    },
  );
});
