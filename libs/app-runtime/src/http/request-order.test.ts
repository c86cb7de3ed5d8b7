import { once } from 'node:events';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { connect, Server, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { Registry, readMetric } from '../metrics';
import { createHttpApp } from './http-app';
import { listen, type Listener } from './listen';
import { readRawBody } from './raw-body';
import { MAX_PIPELINED, RequestOrder } from './request-order';

const GET = 'GET /wait HTTP/1.1\r\nhost: x\r\n\r\n';

/** The error with which node:http reports a late request. */
const late = (): Error => Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });

describe('requests of one connection', () => {
  let listener: Listener;
  let registry: Registry;
  /** One function per started request, which sends its response. */
  let started: (() => void)[];

  beforeEach(async () => {
    registry = new Registry();
    started = [];
    const app = createHttpApp({
      name: 'test',
      log: pino({ level: 'silent' }),
      registry,
      routes: [
        {
          endpoint: 'wait',
          path: '/wait',
          method: 'GET',
          handlers: [
            (_request, response) => {
              const number = started.length;
              started.push(() => void response.json({ number }));
            },
          ],
        },
        {
          endpoint: 'stream',
          path: '/stream',
          method: 'GET',
          handlers: [
            (_request, response) => {
              response.write('a');
              response.end('b');
            },
          ],
        },
        {
          endpoint: 'read',
          path: '/read',
          method: 'POST',
          handlers: [readRawBody(1024), (request, response) => void response.send(request.body)],
        },
      ],
    });
    listener = await listen(app, { host: '127.0.0.1', port: 0 });
  });
  afterEach(() => listener.close());

  function open(bytes: string) {
    const socket = connect(listener.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(bytes);
    return { socket, responses: text(socket).catch(() => 'destroyed') };
  }

  /** Opens a connection and resolves with both of its sockets when the server has read `bytes`. */
  async function connectBySide(bytes: string, options = {}) {
    const connected = jest.spyOn(Server.prototype, 'emit');
    const client = connect({ ...options, port: listener.port, host: '127.0.0.1' });
    client.on('error', () => undefined);
    client.write(bytes);
    for (;;) {
      await sleep(20);
      const calls: unknown[][] = connected.mock.calls;
      const at = calls.findIndex(([event]) => event === 'connection');
      if (at < 0) continue;
      const server = connected.mock.contexts[at] as Server;
      const serverSide = calls[at]?.[1] as Socket;
      connected.mockRestore();
      return { server, client, serverSide };
    }
  }

  /** Waits until `count` requests have started, and checks that no further one has. */
  async function nextStarted(count: number): Promise<() => void> {
    while (started.length < count) await sleep(5);
    await sleep(20);
    expect(started).toHaveLength(count);
    return started[count - 1] as () => void;
  }

  it('start one after the other and have their responses in order', async () => {
    const { socket, responses } = open(GET.repeat(5));
    for (let count = 1; count <= 5; count++) (await nextStarted(count))();
    socket.end();
    expect([...(await responses).matchAll(/"number":(\d)/g)].map(([, number]) => number)).toEqual([
      '0',
      '1',
      '2',
      '3',
      '4',
    ]);
  });

  it('wait in a bounded queue: a connection that sends more ahead is closed', async () => {
    const most = open(GET.repeat(MAX_PIPELINED + 1));
    (await nextStarted(1))();
    (await nextStarted(2))();
    most.socket.destroy();
    await sleep(50);
    started = [];
    const flood = open(GET.repeat(2_000));
    await once(flood.socket, 'close');
    expect(started.length).toBeLessThanOrEqual(1);
  });

  it('are all released when the client disconnects', async () => {
    const { socket } = open(GET.repeat(10));
    const respond = await nextStarted(1);
    socket.destroy();
    for (let tries = 0; tries < 100 && (await readMetric(registry, 'http_requests_in_flight')) !== 0; tries++) {
      await sleep(20);
    }
    expect(await readMetric(registry, 'http_requests_in_flight')).toBe(0);
    respond();
    await sleep(20);
    expect(started).toHaveLength(1);
  });

  it.each([
    ['without a host', 'GET /wait HTTP/1.1\r\n\r\n', ['200', '400', '200']],
    ['with an unknown expectation', GET.replace('\r\n\r\n', '\r\nexpect: x\r\n\r\n'), ['200', '200', '200']],
  ])('are rejected in order: one %s', async (_, odd, statuses) => {
    const { socket, responses } = open(GET + odd + GET);
    const inTurn = statuses.filter((status) => status === '200').length;
    for (let count = 1; count <= inTurn; count++) (await nextStarted(count))();
    socket.end();
    expect([...(await responses).matchAll(/HTTP\/1.1 ([0-9]+)/g)].map(([, status]) => status)).toEqual(statuses);
    expect(await readMetric(registry, 'http_requests_in_flight')).toBe(0);
  });

  it('end with an upgrade request: later bytes are ignored', async () => {
    const { responses } = open(`${GET.replace('\r\n\r\n', '\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')}${GET}`);
    (await nextStarted(1))();
    expect(await responses).toMatch(/^HTTP\/1.1 200 OK[^]*connection: close\r\n[^]*\{"number":0\}$/i);
    expect(started).toHaveLength(1);
  });

  it('end with an upgrade request, also when later bytes arrive in other packets', async () => {
    const { socket, responses } = open(GET.replace('\r\n\r\n', '\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'));
    const respond = await nextStarted(1);
    socket.write(GET.repeat(2));
    await sleep(50);
    respond();
    expect((await responses).match(/HTTP\/1.1/g)).toHaveLength(1);
    expect(started).toHaveLength(1);
  });

  it('end with a request whose response closes the connection', async () => {
    const stream = 'GET /stream HTTP/1.0\r\nconnection: keep-alive\r\n\r\n';
    expect((await open(`${stream}${GET.repeat(3)}`).responses).match(/HTTP\/1.1/g)).toHaveLength(1);
    expect(started).toHaveLength(0);
    expect(await readMetric(registry, 'http_requests_in_flight')).toBe(0);
  });

  it('do not start when node:http parses them after the connection broke', () => {
    const app = jest.fn();
    const server = createServer();
    new RequestOrder(server, app);
    const socket = new Socket();
    const emit = (assigned: boolean): void => {
      const request = new IncomingMessage(socket);
      const response = new ServerResponse(request);
      if (assigned) response.assignSocket(socket);
      server.emit('request', request, response);
    };
    emit(false);
    socket.destroy();
    emit(true);
    expect(app).not.toHaveBeenCalled();
  });

  it('receive no response of another request when invalid bytes follow them', async () => {
    const { responses } = open(`${GET}nonsense\r\n\r\n`);
    const received = await responses;
    expect(received).not.toMatch(/HTTP\/1.1 400/);
    const early = open('GET /none HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n');
    await sleep(50);
    early.socket.write('zz\r\n');
    expect((await early.responses).match(/HTTP\/1.1/g)).toHaveLength(1);
  });

  it('receive their own responses when one waits, and no other, when invalid bytes follow them', async () => {
    const none = GET.replace('/wait', '/none');
    const { responses } = open(`${none}${none}nonsense\r\n\r\n`);
    expect((await responses).match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 404']);
  });

  it('are followed by the rejection of invalid bytes that were read with the last of them', async () => {
    const { responses } = open(`${GET.replace('/wait', '/none')}nonsense\r\n\r\n`);
    expect((await responses).match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 404', 'HTTP/1.1 400']);
  });

  it.each([
    ['nothing', ''],
    ['one request', GET.replace('/wait', '/none')],
    ['two requests', GET.replace('/wait', '/none').repeat(2)],
  ])(
    'leave no connection to a client that sends invalid bytes after %s and does not close it',
    async (_, before) => {
      const { client, serverSide } = await connectBySide('', { allowHalfOpen: true });
      const closed = once(serverSide, 'close');
      client.write(`${before}nonsense\r\n\r\n`);
      const [received] = (await once(client, 'data')) as [Buffer];
      expect(received.toString()).toMatch(/^HTTP\/1.1 4/);
      client.resume();
      await closed;
      client.destroy();
    },
    10_000,
  );

  it('are rejected on the socket where no request is in progress', async () => {
    expect(await open('nonsense\r\n\r\n').responses).toMatch(/^HTTP\/1.1 400 [^]*x-content-type-options: nosniff/);
    const chunked = 'POST /read HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n';
    expect(await open(chunked).responses).toMatch(/^HTTP\/1.1 400 /);
    const later = open('POST /read HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\n\r\n1');
    while (later.socket.bytesRead === 0) await sleep(5);
    later.socket.write('nonsense\r\n\r\n');
    expect((await later.responses).match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
  });

  it.each([
    ['with its headers', '', GET.replace('/wait', '/none'), '404'],
    ['with its body', 'POST /read HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\n1', '23', '200'],
  ])('are not late when their bytes have arrived but are not read yet: one %s', async (_, before, rest, status) => {
    const { server, client, serverSide } = await connectBySide(before);
    client.write(rest);
    server.emit('clientError', late(), serverSide);
    const [received] = (await once(client, 'data')) as [Buffer];
    expect(received.toString()).toContain(`HTTP/1.1 ${status} `);
    client.destroy();
  });

  it('are late when no bytes have arrived', async () => {
    const { server, client, serverSide } = await connectBySide('');
    server.emit('clientError', late(), serverSide);
    expect(await text(client)).toMatch(/^HTTP\/1.1 408 /);
  });

  it('with a body in chunks of one byte are read into a buffer of the size of the body', async () => {
    const chunks = '1\r\nx\r\n'.repeat(1024);
    const head = 'POST /read HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n';
    expect(await open(`${head}${chunks}0\r\n\r\n`).responses).toMatch(/\r\n\r\nx{1024}$/);
    expect(await open(`${head}${chunks}1\r\ny\r\n0\r\n\r\n`).responses).toMatch(/^HTTP\/1.1 413 /);
  });
});
