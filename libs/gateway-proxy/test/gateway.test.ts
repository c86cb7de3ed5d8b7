import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import request from 'supertest';
import { MemoryKeyValue } from '@antelope-history/in-process';
import type { KeyValue } from '@antelope-history/key-value';
import { type ApiName, type HealthAnswer, type HealthStatus, ROUTES } from '@antelope-history/schemas';
import {
  createHttpApp,
  createLogger,
  jsonBodyOf,
  listen,
  type Listener,
  loadConfig,
  operationsRoutes,
  readJsonBody,
  Registry,
} from '@antelope-history/service';
import { createGateway, type GatewayDeps } from '../src';

const log = createLogger('test', 'silent');
const CHAIN_FACTS = {
  version: '4.1.0',
  chain_id: 'ab'.repeat(32),
  head_block_num: 12,
  committed_block_num: 11,
  last_irreversible_block_num: 5,
  lag_blocks: 1,
  components: {},
  incomplete_ranges: [],
};

/** An app that answers what it was asked, and nothing of the chain. */
function createEchoApi(app: ApiName, health: () => HealthStatus = () => 'ok') {
  const registry = new Registry();
  const routes = Object.values(ROUTES).filter((route) => route.app === app);
  return createHttpApp({
    name: app,
    log,
    registry,
    routes: [
      ...routes.map(({ endpoint, path, method }) => ({
        endpoint,
        path,
        method,
        handlers: [
          readJsonBody(64 * 1024),
          (incoming: Parameters<typeof jsonBodyOf>[0], response: { json(body: unknown): unknown }) =>
            void response.json({ app, path, body: jsonBodyOf(incoming), requestId: incoming.get('x-request-id') }),
        ],
      })),
      ...operationsRoutes(async (): Promise<HealthAnswer> => ({ ...CHAIN_FACTS, status: health() }), registry),
    ],
  });
}

class BrokenKeyValue extends MemoryKeyValue {
  override get = () => Promise.reject(new Error('redis://secret is away'));
  override count = () => Promise.reject(new Error('redis://secret is away'));
}

describe('the gateway', () => {
  const listeners: Listener[] = [];
  let urls: Record<ApiName, string>;
  let chainHealth: HealthStatus;

  async function serve(app: RequestListener): Promise<string> {
    const listener = await listen(app, { host: '127.0.0.1', port: 0 });
    listeners.push(listener);
    return listener.url;
  }

  beforeAll(async () => {
    urls = {
      history: await serve(createEchoApi('history')),
      chain: await serve(createEchoApi('chain', () => chainHealth)),
      trace: await serve(createEchoApi('trace')),
    };
  });
  beforeEach(() => (chainHealth = 'ok'));
  afterAll(() => Promise.all(listeners.map((listener) => listener.close())));

  interface Settings extends Pick<GatewayDeps, 'components' | 'now'> {
    environment?: Record<string, string>;
    keyValue?: KeyValue;
  }

  /** `environment`: what differs from the default configuration with the APIs above. */
  function createTestGateway({ environment = {}, keyValue = new MemoryKeyValue(), ...deps }: Settings = {}) {
    const config = loadConfig([], {
      HISTORY_GATEWAY__HISTORY_API_URL: urls.history,
      HISTORY_GATEWAY__CHAIN_API_URL: urls.chain,
      HISTORY_GATEWAY__TRACE_API_URL: urls.trace,
      ...environment,
    });
    return createGateway({ config, keyValue, log, registry: new Registry(), ...deps });
  }

  it.each(Object.values(ROUTES))('passes $path to the $app app, body and all', async ({ path, app }) => {
    const response = await request(createTestGateway()).post(`${path}/?x=1`).type('text/plain').send('{"a":[1,{}]}');
    expect(response.body).toMatchObject({ app, path, body: { a: [1, {}] } });
  });

  it('passes on what an app refuses', async () => {
    const gateway = createTestGateway();
    const wrongMethod = await request(gateway).get(ROUTES.getActions.path);
    expect([wrongMethod.status, wrongMethod.headers['allow']]).toEqual([405, 'POST']);
    expect((await request(gateway).head(ROUTES.getActions.path)).status).toBe(405);
    const notJson = await request(gateway).post(ROUTES.getActions.path).send('{bad');
    expect(notJson.body).toMatchObject({ code: 400, error: { code: 3200006 } });
    const tooLarge = await request(gateway)
      .post(ROUTES.getActions.path)
      .send({ a: 'x'.repeat(1_000_000) });
    expect([tooLarge.status, tooLarge.body.code]).toEqual([413, 413]);
  });

  it('answers 404 to unknown paths and to chain calls without a node', async () => {
    const gateway = createTestGateway();
    for (const path of ['/', '/documents', '/v1/chain/get_info', '/v1/history/nothing', '/v1/%ZZ']) {
      const response = await request(gateway).post(path).send({});
      expect([path, response.status, response.body.error.name]).toEqual([path, 404, 'unknown_path']);
    }
  });

  it('carries a request id to the app and back', async () => {
    const kept = await request(createTestGateway()).post(ROUTES.getActions.path).set('x-request-id', 'mine').send({});
    expect([kept.headers['x-request-id'], kept.body.requestId]).toEqual(['mine', 'mine']);
    const made = await request(createTestGateway()).post(ROUTES.getActions.path).send({});
    expect(made.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(made.body.requestId).toBe(made.headers['x-request-id']);
  });

  it('lets pages of other origins call it', async () => {
    const gateway = createTestGateway();
    const preflight = await request(gateway).options(ROUTES.getActions.path).set({
      origin: 'https://wallet.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET,HEAD,POST',
      'access-control-allow-headers': 'content-type',
    });
    for (const path of [ROUTES.getActions.path, '/nowhere']) {
      const answer = await request(gateway).post(path).set('origin', 'https://wallet.example').send({});
      expect(answer.headers['access-control-allow-origin']).toBe('*');
    }
  });

  it('packs large answers for clients that take it', async () => {
    const large = { a: 'x'.repeat(10_000) };
    const packed = await request(createTestGateway())
      .post(ROUTES.getActions.path)
      .set('accept-encoding', 'gzip')
      .send(large);
    expect([packed.headers['content-encoding'], packed.body.body]).toEqual(['gzip', large]);
    const plain = await request(createTestGateway())
      .post(ROUTES.getActions.path)
      .set('accept-encoding', 'identity')
      .send(large);
    expect([plain.headers['content-encoding'], plain.body.body]).toEqual([undefined, large]);
  });

  describe('when an app is away', () => {
    it('answers 503 with Retry-After and names no host', async () => {
      const gateway = createTestGateway({ environment: { HISTORY_GATEWAY__HISTORY_API_URL: 'http://127.0.0.1:9' } });
      const response = await request(gateway).post(ROUTES.getActions.path).send({});
      expect([response.status, response.headers['retry-after']]).toEqual([503, '5']);
      expect(response.body).toMatchObject({
        code: 503,
        error: { name: 'unavailable', details: [{ method: 'get_actions' }] },
      });
      expect(response.text).not.toMatch(/127\.0\.0\.1|ECONN/);
      expect((await request(gateway).post(ROUTES.getChainBlock.path).send({})).status).toBe(200);
    });

    it('breaks off its own answer when the app breaks off', async () => {
      const broken = createServer((_incoming, response) => {
        response.writeHead(200, { 'content-length': 1000 });
        response.write('{"half":', () => response.destroy());
      }).listen(0, '127.0.0.1');
      await once(broken, 'listening');
      const { port } = broken.address() as AddressInfo;
      const url = await serve(
        createTestGateway({ environment: { HISTORY_GATEWAY__HISTORY_API_URL: `http://127.0.0.1:${port}` } }),
      );
      const answer = fetch(`${url}${ROUTES.getActions.path}`, { method: 'POST' }).then((response) => response.text());
      await expect(answer).rejects.toThrow();
      broken.close();
    });
  });

  describe('rate limits', () => {
    const NOW = Date.UTC(2026, 0, 1, 0, 0, 59);

    it('count by client address and minute', async () => {
      let now = NOW;
      const environment = {
        HISTORY_API__RATE_LIMIT_RPM: '2',
        HISTORY_GATEWAY__TRUSTED_PROXIES: '127.0.0.1,::1,::ffff:127.0.0.1',
      };
      const gateway = createTestGateway({ environment, now: () => now });
      const post = (client: string) =>
        request(gateway).post(ROUTES.getActions.path).set('x-forwarded-for', client).send({});
      expect((await post('10.0.0.1')).headers).toMatchObject({
        'x-ratelimit-limit': '2',
        'x-ratelimit-remaining': '1',
      });
      expect((await post('10.0.0.1')).status).toBe(200);
      const refused = await post('10.0.0.1');
      expect([refused.status, refused.body.error.name]).toEqual([429, 'rate_limited']);
      expect(refused.headers['retry-after']).toMatch(/^\d+$/);
      expect((await post('10.0.0.2')).status).toBe(200);
      now += 1000;
      expect((await post('10.0.0.1')).status).toBe(200);
    });

    it('take a /64 of IPv6 addresses as one client', async () => {
      const environment = {
        HISTORY_API__RATE_LIMIT_RPM: '1',
        HISTORY_GATEWAY__TRUSTED_PROXIES: '127.0.0.1,::1,::ffff:127.0.0.1',
      };
      const gateway = createTestGateway({ environment });
      const post = (client: string) =>
        request(gateway).post(ROUTES.getActions.path).set('x-forwarded-for', client).send({});
      await post('2001:db8::1');
      expect((await post('2001:db8::2')).status).toBe(429);
      expect((await post('2001:db8:0:1::1')).status).toBe(200);
    });

    it('are shared by gateways through the key-value store, and not fooled by X-Forwarded-For', async () => {
      const shared = { environment: { HISTORY_API__RATE_LIMIT_RPM: '1' }, keyValue: new MemoryKeyValue() };
      const [first, second] = [createTestGateway(shared), createTestGateway(shared)];
      await request(first).post(ROUTES.getActions.path).set('x-forwarded-for', '10.0.0.1').send({});
      const response = await request(second).post(ROUTES.getActions.path).set('x-forwarded-for', '10.0.0.2').send({});
      expect(response.status).toBe(429);
    });

    it('answer 503 when the key-value store is away, and say nothing of it', async () => {
      const keyValue = new BrokenKeyValue();
      const response = await request(createTestGateway({ environment: { HISTORY_API__RATE_LIMIT_RPM: '1' }, keyValue }))
        .post(ROUTES.getActions.path)
        .send({});
      expect([response.status, response.headers['retry-after'], response.body.error.name]).toEqual([
        503,
        '5',
        'unavailable',
      ]);
      expect(response.text).not.toContain('redis');
      expect((await request(createTestGateway({ keyValue })).post(ROUTES.getActions.path).send({})).status).toBe(200);
    });

    it('leave /health alone', async () => {
      const gateway = createTestGateway({ environment: { HISTORY_API__RATE_LIMIT_RPM: '1' } });
      for (let i = 0; i < 3; i++) expect((await request(gateway).get('/live')).status).toBe(200);
    });
  });

  describe('with a chain node', () => {
    let environment: Record<string, string>;
    beforeAll(async () => {
      const node: RequestListener = (incoming, response) => {
        response.writeHead(500, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ node: incoming.url, method: incoming.method }));
      };
      environment = { HISTORY_GATEWAY__CHAIN_NODE_URL: await serve(node) };
    });

    it('passes the other chain calls to it, status and all', async () => {
      const gateway = createTestGateway({ environment });
      const response = await request(gateway).get('/v1/chain/get_info?x=1');
      expect([response.status, response.body]).toEqual([500, { node: '/v1/chain/get_info?x=1', method: 'GET' }]);
      expect((await request(gateway).post(ROUTES.getChainBlock.path).send({})).body.app).toBe('chain');
    });

    it.each(['/v1/chain/%2e%2e', '/v1/chain/a%2fb', '/v1/chain/get_info/x', '/v1/chain/%ZZ', '/v1/producer/pause'])(
      'passes nothing else: %s',
      async (path) => {
        const url = await serve(createTestGateway({ environment }));
        expect((await fetch(url + path, { method: 'POST' })).status).toBe(404);
      },
    );
  });

  describe('GET /health', () => {
    const healthOf = async (settings?: Settings) => request(createTestGateway(settings)).get('/health');

    it('is what the APIs say of the chain, with every part', async () => {
      const response = await healthOf({ components: { reader: async () => 'ok' } });
      expect([response.status, response.body]).toEqual([
        200,
        {
          ...CHAIN_FACTS,
          status: 'ok',
          components: {
            history_api: { status: 'ok' },
            chain_api: { status: 'ok' },
            trace_api: { status: 'ok' },
            key_value: { status: 'ok' },
            reader: { status: 'ok' },
          },
        },
      ]);
    });

    it.each<[string, Settings]>([
      ['an API', { environment: { HISTORY_GATEWAY__HISTORY_API_URL: 'http://127.0.0.1:9' } }],
      ['the key-value store', { keyValue: new BrokenKeyValue() }],
      ['another part', { components: { reader: () => Promise.reject(new Error('gone')) } }],
    ])('is degraded when %s is away', async (_, settings) => {
      const response = await healthOf(settings);
      expect([response.status, response.body.status, response.body.head_block_num]).toEqual([200, 'degraded', 12]);
    });

    it('is degraded when an API says that it is down', async () => {
      chainHealth = 'down';
      expect((await healthOf()).body).toMatchObject({
        status: 'degraded',
        components: { chain_api: { status: 'down' } },
      });
    });

    it.each<[string, Settings]>([
      [
        'no API answers',
        {
          environment: {
            HISTORY_GATEWAY__HISTORY_API_URL: 'http://127.0.0.1:9',
            HISTORY_GATEWAY__CHAIN_API_URL: 'http://127.0.0.1:9',
            HISTORY_GATEWAY__TRACE_API_URL: 'http://127.0.0.1:9',
          },
        },
      ],
      [
        'requests can not be counted',
        { environment: { HISTORY_API__RATE_LIMIT_RPM: '1' }, keyValue: new BrokenKeyValue() },
      ],
    ])('is down, with 503, when %s', async (_, settings) => {
      const response = await healthOf(settings);
      expect([response.status, response.body.status]).toEqual([503, 'down']);
    });

    it('is asked of the APIs at most once a second', async () => {
      let asked = 0;
      const components = { reader: async () => (asked++, 'ok' as const) };
      let now = 0;
      const gateway = createTestGateway({ components, now: () => now });
      await Promise.all([request(gateway).get('/health'), request(gateway).get('/health')]);
      expect(asked).toBe(1);
      now = 1000;
      await request(gateway).get('/health');
      expect(asked).toBe(2);
    });
  });

  it('counts what it answers', async () => {
    const gateway = createTestGateway();
    await request(gateway).post(ROUTES.getActions.path).send({});
    const { text } = await request(gateway).get('/metrics');
    expect(text).toContain('http_requests_total{app="gateway",path="/v1/history/get_actions",status="2xx"} 1');
    expect(text).toContain('http_requests_total{app="gateway",path="/v1/chain/get_block",status="5xx"} 0');
  });
});
