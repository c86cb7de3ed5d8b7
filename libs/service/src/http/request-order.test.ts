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
import { MOST_PIPELINED, RequestOrder } from './request-order';

const GET = 'GET /wait HTTP/1.1\r\nhost: x\r\n\r\n';

/** As node:http finds a request to be late. */
const late = (): Error => Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });

describe('requests of one connection', () => {
  let listener: Listener;
  let registry: Registry;
  /** Requests that the app was given, and how to respond to each. */
  let begun: (() => void)[];

  beforeEach(async () => {
    registry = new Registry();
    begun = [];
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
              const number = begun.length;
              begun.push(() => void response.json({ number }));
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
    return { socket, responses: text(socket).catch(() => 'broken off') };
  }

  /** A connection seen from both sides; the client has sent `bytes`, and the server has read them. */
  async function connectBySide(bytes: string) {
    const connected = jest.spyOn(Server.prototype, 'emit');
    const client = connect(listener.port, '127.0.0.1');
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

  /** Waits until a request was begun; no more than one is at any time. */
  async function nextBegun(count: number): Promise<() => void> {
    while (begun.length < count) await sleep(5);
    await sleep(20);
    expect(begun).toHaveLength(count);
    return begun[count - 1] as () => void;
  }

  it('are begun one after the other, and responded to in their order', async () => {
    const { socket, responses } = open(GET.repeat(5));
    for (let count = 1; count <= 5; count++) (await nextBegun(count))();
    socket.end();
    expect([...(await responses).matchAll(/"number":(\d)/g)].map(([, number]) => number)).toEqual([
      '0',
      '1',
      '2',
      '3',
      '4',
    ]);
  });

  it('may wait in a bounded number: a connection that sends more ahead is closed', async () => {
    const most = open(GET.repeat(MOST_PIPELINED + 1));
    (await nextBegun(1))();
    (await nextBegun(2))();
    most.socket.destroy();
    await sleep(50);
    begun = [];
    const flood = open(GET.repeat(2_000));
    await once(flood.socket, 'close');
    expect(begun.length).toBeLessThanOrEqual(1);
  });

  it('leave nothing behind when the client leaves', async () => {
    const { socket } = open(GET.repeat(10));
    const respond = await nextBegun(1);
    socket.destroy();
    for (let tries = 0; tries < 100 && (await readMetric(registry, 'http_requests_in_flight')) !== 0; tries++) {
      await sleep(20);
    }
    expect(await readMetric(registry, 'http_requests_in_flight')).toBe(0);
    respond();
    await sleep(20);
    expect(begun).toHaveLength(1);
  });

  it.each([
    ['without a host', 'GET /wait HTTP/1.1\r\n\r\n', ['200', '400', '200']],
    ['of an expectation that nobody knows', GET.replace('\r\n\r\n', '\r\nexpect: x\r\n\r\n'), ['200', '200', '200']],
  ])('are refused in their turn: one %s', async (_, odd, statuses) => {
    const { socket, responses } = open(GET + odd + GET);
    const inTurn = statuses.filter((status) => status === '200').length;
    for (let count = 1; count <= inTurn; count++) (await nextBegun(count))();
    socket.end();
    expect([...(await responses).matchAll(/HTTP\/1.1 ([0-9]+)/g)].map(([, status]) => status)).toEqual(statuses);
    expect(await readMetric(registry, 'http_requests_in_flight')).toBe(0);
  });

  it('end with one to upgrade: what follows it is not trusted', async () => {
    const { responses } = open(`${GET.replace('\r\n\r\n', '\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')}${GET}`);
    (await nextBegun(1))();
    expect(await responses).toMatch(/^HTTP\/1.1 200 OK[^]*connection: close\r\n[^]*\{"number":0\}$/i);
    expect(begun).toHaveLength(1);
  });

  it('end with one to upgrade, in whatever packets the rest comes', async () => {
    const { socket, responses } = open(GET.replace('\r\n\r\n', '\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'));
    const respond = await nextBegun(1);
    socket.write(GET.repeat(2));
    await sleep(50);
    respond();
    expect((await responses).match(/HTTP\/1.1/g)).toHaveLength(1);
    expect(begun).toHaveLength(1);
  });

  it('end with one whose response ends with the connection', async () => {
    const stream = 'GET /stream HTTP/1.0\r\nconnection: keep-alive\r\n\r\n';
    expect((await open(`${stream}${GET.repeat(3)}`).responses).match(/HTTP\/1.1/g)).toHaveLength(1);
    expect(begun).toHaveLength(0);
    expect(await readMetric(registry, 'http_requests_in_flight')).toBe(0);
  });

  it('are not begun when node:http finds them in what it had read of a broken connection', () => {
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

  it('get no response that is not theirs when the bytes behind them are wrong', async () => {
    const { responses } = open(`${GET}nonsense\r\n\r\n`);
    const received = await responses;
    expect(received).not.toMatch(/HTTP\/1.1 400/);
    const early = open('GET /none HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n');
    await sleep(50);
    early.socket.write('zz\r\n');
    expect((await early.responses).match(/HTTP\/1.1/g)).toHaveLength(1);
  });

  it('are refused by hand where no request is open', async () => {
    expect(await open('nonsense\r\n\r\n').responses).toMatch(/^HTTP\/1.1 400 [^]*x-content-type-options: nosniff/);
    const chunked = 'POST /read HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n';
    expect(await open(chunked).responses).toMatch(/^HTTP\/1.1 400 /);
    const later = open('POST /read HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\n\r\n1');
    await sleep(50);
    later.socket.write('nonsense\r\n\r\n');
    expect((await later.responses).match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
  });

  it.each([
    ['with its headers', '', GET.replace('/wait', '/none'), '404'],
    ['with its body', 'POST /read HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\n1', '23', '200'],
  ])('are not late when what arrived was not read yet: one %s', async (_, before, rest, status) => {
    const { server, client, serverSide } = await connectBySide(before);
    client.write(rest);
    server.emit('clientError', late(), serverSide);
    const [received] = (await once(client, 'data')) as [Buffer];
    expect(received.toString()).toContain(`HTTP/1.1 ${status} `);
    client.destroy();
  });

  it('are late when nothing has arrived', async () => {
    const { server, client, serverSide } = await connectBySide('');
    server.emit('clientError', late(), serverSide);
    expect(await text(client)).toMatch(/^HTTP\/1.1 408 /);
  });

  it('with a body in chunks of one byte are read in a buffer of their size', async () => {
    const chunks = '1\r\nx\r\n'.repeat(1024);
    const head = 'POST /read HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n';
    expect(await open(`${head}${chunks}0\r\n\r\n`).responses).toMatch(/\r\n\r\nx{1024}$/);
    expect(await open(`${head}${chunks}1\r\ny\r\n0\r\n\r\n`).responses).toMatch(/^HTTP\/1.1 413 /);
  });
});
