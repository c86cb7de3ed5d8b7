import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from '@antelope-history/app-runtime';
import { ROUTES } from '@antelope-history/routes';
import { GatewayFixture } from './gateway-fixture';

const CALL = '/v1/chain/get_account';
const OWN = ROUTES.getActions.path;

/** A chain node that sends the bytes of `reply` to each request, and leaves the connection open. */
class HostileNode {
  reply = '';
  requests = 0;
  readonly sockets: Socket[] = [];
  private readonly server: Server;

  constructor() {
    this.server = createServer((socket) => {
      this.sockets.push(socket);
      socket.on('error', () => undefined);
      socket.once('data', () => {
        this.requests++;
        socket.write(this.reply);
      });
    });
  }

  async open(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.sockets.forEach((socket) => socket.destroy());
    this.server.close();
  }
}

describe('a gateway with a hostile chain node', () => {
  const fixture = new GatewayFixture();
  let node: HostileNode;
  let url: string;
  let registry: Registry;

  beforeAll(() => fixture.open());
  beforeEach(async () => {
    node = new HostileNode();
    await node.open();
    registry = new Registry();
    url = await fixture
      .serveLimited({
        registry,
        environment: {
          HISTORY_GATEWAY__CHAIN_NODE_URL: node.url,
          HISTORY_GATEWAY__MAX_REQUESTS_IN_FLIGHT: '2',
          HISTORY_GATEWAY__MAX_REQUESTS_PER_CLIENT: '2',
          HISTORY_GATEWAY__MAX_RESPONSE_BYTES_IN_FLIGHT: '1048576',
        },
      })
      .then((served) => served.url);
  });
  afterEach(() => {
    jest.useRealTimers();
    node.close();
  });
  afterAll(() => fixture.close());

  const post = (path: string) => fetch(url + path, { method: 'POST', body: '{}', signal: AbortSignal.timeout(10_000) });

  it.each([
    ['no status of HTTP', 'HTTP/1.1 000 X\r\ncontent-length: 0\r\n\r\n'],
    ['a status below 100', 'HTTP/1.1 099 X\r\ncontent-length: 0\r\n\r\n'],
    ['a status above 599', 'HTTP/1.1 999 X\r\ncontent-length: 0\r\n\r\n'],
    ['an upgrade', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'],
    ['bytes that are not HTTP', 'hello\r\n\r\n'],
  ])('responds 503 when it sends %s, and goes on', async (_, reply) => {
    node.reply = reply;
    const response = await post(CALL);
    expect([response.status, ((await response.json()) as { error: { name: string } }).error.name]).toEqual([
      503,
      'unavailable',
    ]);
    // Nothing of the connection is kept, however long it would stay open.
    while (!node.sockets[0]?.closed) await sleep(5);
    expect((await post(OWN)).status).toBe(200);
  });

  it('is given 35 seconds for a response', async () => {
    jest.useFakeTimers({ doNotFake: ['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate'] });
    const sent = request(url + CALL, { method: 'POST' }).end('{}');
    const responded = once(sent, 'response') as Promise<[IncomingMessage]>;
    while (node.requests === 0) await new Promise((resolve) => setImmediate(resolve));
    jest.advanceTimersByTime(35_000);
    const [response] = await responded;
    jest.useRealTimers();
    expect(response.statusCode).toBe(503);
    sent.destroy();
  });

  it.each([
    ['does not respond', ''],
    ['announces a huge response and sends nothing of it', 'HTTP/1.1 200 OK\r\ncontent-length: 300000000\r\n\r\n{'],
    ['announces more bytes than a number holds', 'HTTP/1.1 200 OK\r\ncontent-length: 18446744073709551614\r\n\r\n{'],
  ])('serves its own endpoints at once while a node %s', async (_, reply) => {
    node.reply = reply;
    const hanging = Array.from({ length: 4 }, () => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(`POST ${CALL} HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}`);
      return socket;
    });
    while (node.sockets.length < 2) await sleep(10);
    await sleep(100);
    const startedAt = performance.now();
    for (let count = 0; count < 3; count++) expect((await post(OWN)).status).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    hanging.forEach((socket) => socket.destroy());
  });

  it('is charged as one unit, whatever cost a node names', async () => {
    node.reply = 'HTTP/1.1 200 OK\r\nconnection: close\r\nx-request-cost: 1000\r\ncontent-length: 2\r\n\r\n{}';
    const gateway = fixture.createGateway({
      environment: { HISTORY_GATEWAY__CHAIN_NODE_URL: node.url, HISTORY_API__RATE_LIMIT_COST_PER_MINUTE: '10' },
      now: () => 60_000,
    });
    const served = await fixture.serve(gateway);
    for (const left of [10, 9]) {
      const { status, headers } = await fetch(served + CALL, { method: 'POST', body: '{}' });
      expect([status, headers.get('ratelimit'), headers.get('x-request-cost')]).toEqual([
        200,
        `"cost";r=${left};t=60`,
        null,
      ]);
    }
  });

  it('counts the bytes that a node sends, not those that it announces', async () => {
    node.reply = 'HTTP/1.1 200 OK\r\ncontent-length: 300000000\r\n\r\n{';
    const response = await post(CALL);
    const held = await registry.getSingleMetricAsString('history_gateway_response_bytes');
    // One byte has arrived, and sockets may buffer some.
    expect(Number(/^history_gateway_response_bytes (\d+)$/m.exec(held)?.[1])).toBe(64 * 1024 + 1);
    await response.body?.cancel();
  });

  it('takes over when to try again', async () => {
    node.reply = 'HTTP/1.1 429 Too Many Requests\r\nretry-after: 7\r\ncontent-length: 2\r\n\r\n{}';
    const { status, headers } = await post(CALL);
    expect([status, headers.get('retry-after')]).toEqual([429, '7']);
  });

  it('takes over nothing else but what describes the body', async () => {
    node.reply = [
      'HTTP/1.1 302 Found',
      'content-type: application/json',
      'content-length: 2',
      'location: https://elsewhere.example',
      'set-cookie: a=b',
      'access-control-allow-origin: https://elsewhere.example',
      'x-request-id: other',
      'ratelimit: other',
      '',
      '{}',
    ].join('\r\n');
    const response = await fetch(url + CALL, { method: 'POST', body: '{}', redirect: 'manual' });
    const { headers } = response;
    expect([response.status, headers.get('content-type'), await response.text()]).toEqual([
      302,
      'application/json',
      '{}',
    ]);
    expect([headers.get('location'), headers.get('set-cookie'), headers.get('ratelimit')]).toEqual([null, null, null]);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('x-request-id')).not.toBe('other');
  });
});
