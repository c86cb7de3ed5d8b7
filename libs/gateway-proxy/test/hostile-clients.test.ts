import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger, Registry } from '@antelope-history/app-runtime';
import { ROUTES } from '@antelope-history/routes';
import { GatewayFixture } from './gateway-fixture';

const { path } = ROUTES.getActions;
const POST = `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n`;
const MIB = 1024 * 1024;

describe('a gateway with hostile clients', () => {
  const fixture = new GatewayFixture();
  let sockets: Socket[];
  let registry: Registry;

  beforeAll(() => fixture.open());
  beforeEach(() => {
    sockets = [];
    registry = new Registry();
  });
  afterEach(() => sockets.forEach((socket) => socket.destroy()));
  afterAll(() => fixture.close());

  async function startGateway(upstream: RequestListener | undefined, environment: Record<string, string> = {}) {
    const url = upstream && (await fixture.serve(upstream));
    const gateway = {
      environment: { ...environment, ...(url && { HISTORY_GATEWAY__HISTORY_API_URL: url }) },
      registry,
    };
    return fixture.serveLimited(gateway);
  }

  function open(url: string, bytes: string): Socket {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(bytes);
    sockets.push(socket);
    return socket;
  }

  async function metricOf(name: string): Promise<number> {
    const text = await registry.getSingleMetricAsString(name);
    return Number(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'm').exec(text)?.[1]);
  }

  async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
    const startedAt = performance.now();
    while (!(await condition())) {
      if (performance.now() - startedAt > 20_000) throw new Error('the condition did not become true within 20 s');
      await sleep(10);
    }
  }

  const post = (url: string, headers: Record<string, string> = {}) =>
    fetch(url + path, { method: 'POST', body: '{}', headers, signal: AbortSignal.timeout(20_000) });

  it('serves other clients without delay while 600 clients send bodies slowly', async () => {
    const { url } = await startGateway(undefined, { HISTORY_GATEWAY__MAX_CONNECTIONS_PER_CLIENT: '1000' });
    const slow = Array.from({ length: 600 }, () =>
      open(url, `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{`),
    );
    await Promise.all(slow.map((socket) => once(socket, 'connect')));
    await sleep(300);
    const startedAt = performance.now();
    for (let count = 0; count < 10; count++) expect((await post(url)).status).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  it('serves clients in turn under too many requests, and responds 503 with Retry-After when the queue is full', async () => {
    const held: (() => void)[] = [];
    const upstream: RequestListener = (_request, response) => void held.push(() => response.end('{}'));
    const { url } = await startGateway(upstream, {
      HISTORY_GATEWAY__MAX_REQUESTS_IN_FLIGHT: '4',
      HISTORY_GATEWAY__MAX_REQUESTS_PER_CLIENT: '3',
      HISTORY_GATEWAY__MAX_REQUESTS_WAITING: '40',
      HISTORY_GATEWAY__TRUSTED_PROXIES: '127.0.0.1',
    });
    const flood = Array.from({ length: 14 }, () => post(url, { 'x-forwarded-for': '1.1.1.1' }));
    const refused = await Promise.race(flood);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await refused.json()).toMatchObject({ code: 503, error: { name: 'busy' } });
    expect(held).toHaveLength(3);
    const honest = Promise.all([
      post(url, { 'x-forwarded-for': '2.2.2.2:99' }),
      post(url, { 'x-forwarded-for': '3.3.3.3' }),
    ]);
    await until(() => held.length === 4);
    expect(await metricOf('history_gateway_requests_working')).toBe(4);
    await until(async () => (await metricOf('history_gateway_requests_waiting')) === 11);
    held.splice(0).forEach((respond) => respond());
    await until(() => held.length === 4);
    const others = sleep(0).then(async () => {
      for (let served = 0; served < 11;) {
        await until(() => held.length > 0);
        served += held.length;
        held.splice(0).forEach((respond) => respond());
      }
    });
    expect((await honest).map(({ status }) => status)).toEqual([200, 200]);
    await others;
    expect((await Promise.all(flood)).filter(({ status }) => status === 200)).toHaveLength(13);
  });

  it('aborts the upstream requests and releases everything when clients disconnect', async () => {
    let closed = 0;
    let begun = 0;
    const upstream: RequestListener = (request, response) => {
      begun++;
      request.resume();
      response.once('close', () => closed++);
    };
    const { url } = await startGateway(upstream, { HISTORY_GATEWAY__MAX_REQUESTS_PER_CLIENT: '2' });
    const clients = Array.from({ length: 5 }, () => open(url, POST));
    await until(() => begun === 2);
    await until(async () => (await metricOf('history_gateway_requests_waiting')) === 3);
    clients.reverse().forEach((socket) => socket.destroy());
    await until(() => closed === begun);
    await until(async () => (await metricOf('history_gateway_requests_working')) === 0);
    expect(await metricOf('history_gateway_requests_waiting')).toBe(0);
  });

  it('reports no failure of an API whose client has left', async () => {
    let begun = 0;
    let closed = 0;
    const api = await fixture.serve((request, response) => {
      begun++;
      request.resume();
      response.once('close', () => closed++);
    });
    const lines: string[] = [];
    const { url } = await fixture.serveLimited({
      environment: { HISTORY_GATEWAY__HISTORY_API_URL: api },
      log: createLogger('test', 'warn', { write: (line) => void lines.push(line) }),
      registry,
    });
    const client = open(url, POST);
    await until(() => begun === 1);
    client.destroy();
    await until(() => closed === 1);
    expect(lines).toEqual([]);
  });

  it('leaves no upstream request open when clients disconnect at any moment', async () => {
    let unfinished = 0;
    const upstream: RequestListener = (request, response) => {
      unfinished++;
      request.resume();
      response.once('close', () => unfinished--);
    };
    const { url } = await startGateway(upstream, { HISTORY_GATEWAY__MAX_CONNECTIONS_PER_CLIENT: '1000' });
    const clients = Array.from({ length: 300 }, async (_, index) => {
      const socket = open(url, POST);
      await sleep(index / 10);
      socket.destroy();
    });
    await Promise.all(clients);
    await until(async () => (await metricOf('history_gateway_connections')) === 0);
    await until(() => unfinished === 0);
    expect(await metricOf('history_gateway_requests_working')).toBe(0);
  });

  describe('that do not read responses', () => {
    // More than the socket buffers of the system hold.
    const body = Buffer.alloc(16 * MIB, ' ');
    const upstream: RequestListener = (request, response) => {
      request.resume();
      response.setHeader('content-length', body.length);
      response.end(body);
    };

    it('are disconnected, and their buffered response bytes stay within the bound', async () => {
      const { url } = await startGateway(upstream, {
        HISTORY_GATEWAY__MAX_RESPONSE_BYTES_PER_CLIENT: String(32 * MIB),
        HISTORY_GATEWAY__WRITE_TIMEOUT_SECONDS: '1',
        HISTORY_GATEWAY__MAX_REQUESTS_PER_CLIENT: '1',
      });
      for (let count = 0; count < 12; count++) open(url, POST).pause();
      await until(async () => (await metricOf('history_gateway_response_bytes')) > 0);
      let most = 0;
      await until(async () => {
        most = Math.max(most, await metricOf('history_gateway_response_bytes'));
        return (await metricOf('history_gateway_connections')) === 0;
      });
      // One more response is admitted while the total is below the bound.
      expect(most).toBeGreaterThan(16 * MIB);
      expect(most).toBeLessThan(49 * MIB);
      expect(await metricOf('history_gateway_response_bytes')).toBe(0);
      expect((await (await post(url)).arrayBuffer()).byteLength).toBe(body.length);
    });

    it('keep no upstream busy, also with a response of unknown length', async () => {
      const { url } = await startGateway((request, response) => {
        request.resume();
        response.write(body);
        response.end();
      });
      open(url, POST).pause();
      await until(async () => (await metricOf('history_gateway_response_bytes')) > 0);
      await until(async () => (await metricOf('history_gateway_requests_working')) === 0);
      expect(await metricOf('history_gateway_response_bytes')).toBeGreaterThan(0);
    });

    it('lose the response that has stalled longest when the total is too large', async () => {
      const { url } = await startGateway(upstream, {
        HISTORY_GATEWAY__MAX_RESPONSE_BYTES_PER_CLIENT: String(64 * MIB),
        HISTORY_GATEWAY__MAX_RESPONSE_BYTES_IN_FLIGHT: String(16 * MIB),
      });
      for (let count = 0; count < 4; count++) open(url, POST).pause();
      await until(async () => (await metricOf('history_gateway_response_bytes')) > 16 * MIB);
      const response = await post(url);
      expect((await response.arrayBuffer()).byteLength).toBe(16 * MIB);
    });
  });

  it('refuses connections above the limit per client, but not those of a trusted proxy', async () => {
    const environment = { HISTORY_GATEWAY__MAX_CONNECTIONS_PER_CLIENT: '5' };
    const { url } = await startGateway(undefined, environment);
    const all = Array.from({ length: 9 }, () => open(url, ''));
    await until(() => all.filter(({ destroyed }) => destroyed).length === 4);
    expect(await metricOf('history_gateway_connections')).toBeLessThanOrEqual(9);
    all.filter(({ destroyed }) => !destroyed).forEach((socket) => socket.destroy());
    await until(async () => (await metricOf('history_gateway_connections')) === 0);
    expect((await post(url)).status).toBe(200);
    const proxied = await startGateway(undefined, { ...environment, HISTORY_GATEWAY__TRUSTED_PROXIES: '127.0.0.1' });
    const many = Array.from({ length: 9 }, () => open(proxied.url, 'GET /live HTTP/1.1\r\nhost: x\r\n\r\n'));
    await Promise.all(many.map((socket) => once(socket, 'data')));
  });

  it('forwards no hop-by-hop headers of an upstream response', async () => {
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(200, {
        connection: 'close, x-private',
        'x-private': '1',
        'keep-alive': 'timeout=1',
        'proxy-authenticate': 'Basic',
        'proxy-connection': 'close',
        te: 'trailers',
        trailer: 'x-end',
        upgrade: 'h2c',
        'x-other': '2',
      });
      response.end('{}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const environment = {
      HISTORY_GATEWAY__HISTORY_API_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    };
    const { url } = await startGateway(undefined, environment);
    const { headers } = await post(url);
    expect([headers.get('x-other'), headers.get('x-private'), headers.get('connection')]).toEqual([
      '2',
      null,
      'keep-alive',
    ]);
    const hops = ['proxy-authenticate', 'proxy-connection', 'te', 'trailer', 'upgrade'];
    expect(hops.filter((name) => headers.has(name))).toEqual([]);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    server.close();
  });
});
