import request from 'supertest';
import { MemoryKeyValue } from '@antelope-history/key-value-memory';
import { ROUTES } from '@antelope-history/routes';
import { Registry } from '@antelope-history/app-runtime';
import { BrokenKeyValue, GatewayFixture } from './gateway-fixture';

describe('rate limits', () => {
  const fixture = new GatewayFixture();
  beforeAll(() => fixture.open());
  afterAll(() => fixture.close());
  const NOW = Date.UTC(2026, 0, 1, 0, 0, 59);

  it('count by client address and minute', async () => {
    let now = NOW;
    const environment = {
      HISTORY_API__RATE_LIMIT_RPM: '2',
      HISTORY_GATEWAY__TRUSTED_PROXIES: '127.0.0.1,::1,::ffff:127.0.0.1',
    };
    const gateway = fixture.createGateway({ environment, now: () => now });
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

  it.each(Object.values(ROUTES))('apply to $path', async ({ path }) => {
    const gateway = fixture.createGateway({ environment: { HISTORY_API__RATE_LIMIT_RPM: '1' }, now: () => NOW });
    expect((await request(gateway).post(path).send({})).status).toBe(200);
    expect((await request(gateway).post(path).send({})).status).toBe(429);
  });

  it('count all addresses of an IPv6 /64 as one client', async () => {
    const environment = {
      HISTORY_API__RATE_LIMIT_RPM: '1',
      HISTORY_GATEWAY__TRUSTED_PROXIES: '127.0.0.1,::1,::ffff:127.0.0.1',
    };
    const gateway = fixture.createGateway({ environment });
    const post = (client: string) =>
      request(gateway).post(ROUTES.getActions.path).set('x-forwarded-for', client).send({});
    await post('2001:db8::1');
    expect((await post('2001:db8::2')).status).toBe(429);
    expect((await post('2001:db8:0:1::1')).status).toBe(200);
  });

  it('are shared by gateways through the key-value store, and ignore an untrusted X-Forwarded-For', async () => {
    const shared = { environment: { HISTORY_API__RATE_LIMIT_RPM: '1' }, keyValue: new MemoryKeyValue() };
    const [first, second] = [fixture.createGateway(shared), fixture.createGateway(shared)];
    await request(first).post(ROUTES.getActions.path).set('x-forwarded-for', '10.0.0.1').send({});
    const response = await request(second).post(ROUTES.getActions.path).set('x-forwarded-for', '10.0.0.2').send({});
    expect(response.status).toBe(429);
  });

  it('are counted by each gateway alone while the key-value store is unavailable', async () => {
    const environment = { HISTORY_API__RATE_LIMIT_RPM: '2' };
    const broken = { environment, keyValue: new BrokenKeyValue(), now: () => NOW };
    const registry = new Registry();
    const [first, second] = [fixture.createGateway({ ...broken, registry }), fixture.createGateway(broken)];
    const post = (gateway: typeof first) => request(gateway).post(ROUTES.getActions.path).send({});
    expect((await post(first)).headers).toMatchObject({ 'x-ratelimit-remaining': '1' });
    expect((await post(first)).status).toBe(200);
    expect((await post(first)).status).toBe(429);
    expect((await post(second)).status).toBe(200);
    expect(await registry.metrics()).toContain('history_requests_counted_alone_total 2');
  });

  it('do not wait for a key-value store that hangs', async () => {
    const keyValue = new MemoryKeyValue();
    keyValue.count = () => new Promise(() => undefined);
    const environment = { HISTORY_API__RATE_LIMIT_RPM: '1' };
    const gateway = fixture.createGateway({ environment, keyValue, now: () => NOW });
    const startedAt = performance.now();
    expect((await request(gateway).post(ROUTES.getActions.path).send({})).status).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect((await request(gateway).post(ROUTES.getActions.path).send({})).status).toBe(429);
  });

  it('continue when the key-value store loses its data, and send it no requests of a flood', async () => {
    const keyValue = new MemoryKeyValue();
    const count = jest.spyOn(keyValue, 'count');
    const environment = { HISTORY_API__RATE_LIMIT_RPM: '2' };
    const gateway = fixture.createGateway({ environment, keyValue, now: () => NOW });
    const statuses: number[] = [];
    for (let requests = 0; requests < 6; requests++) {
      statuses.push((await request(gateway).post(ROUTES.getActions.path).send({})).status);
      await keyValue.close();
    }
    expect(statuses).toEqual([200, 200, 429, 429, 429, 429]);
    expect(count).toHaveBeenCalledTimes(2);
  });

  it('are shown in the RateLimit header fields', async () => {
    const environment = { HISTORY_API__RATE_LIMIT_RPM: '3', HISTORY_API__RATE_LIMIT_COST_PER_MINUTE: '100' };
    const gateway = fixture.createGateway({ environment, now: () => NOW });
    const { headers } = await request(gateway).post(ROUTES.getActions.path).send({});
    expect(headers).toMatchObject({
      'ratelimit-policy': '"requests";q=3;w=60, "cost";q=100;w=60',
      ratelimit: '"requests";r=2;t=1, "cost";r=100;t=1',
    });
    const atBeginning = fixture.createGateway({ environment, now: () => NOW - 59_000 });
    const { headers: first } = await request(atBeginning).post(ROUTES.getActions.path).send({});
    expect(first['x-ratelimit-reset']).toBe(String((NOW + 1_000) / 1000));
    const none = await request(fixture.createGateway()).post(ROUTES.getActions.path).send({});
    expect([none.headers['ratelimit'], none.headers['x-ratelimit-limit']]).toEqual([undefined, undefined]);
  });

  it('say when the minute of the counts ends, also if the next one begins while the key-value store counts', async () => {
    let now = NOW;
    class SlowKeyValue extends MemoryKeyValue {
      override async count(...counted: Parameters<MemoryKeyValue['count']>): ReturnType<MemoryKeyValue['count']> {
        const sum = await super.count(...counted);
        now += 1_000;
        return sum;
      }
    }
    const keyValue = new SlowKeyValue();
    const environment = { HISTORY_API__RATE_LIMIT_RPM: '1' };
    const gateways = [0, 1].map(() => fixture.createGateway({ environment, keyValue, now: () => now }));
    const shown: unknown[] = [];
    for (const gateway of gateways) {
      now = NOW + 500;
      const { status, headers } = await request(gateway).post(ROUTES.getActions.path).send({});
      shown.push([status, headers['retry-after'], headers['ratelimit'], headers['x-ratelimit-reset']]);
    }
    const end = String((NOW + 1_000) / 1_000);
    expect(shown).toEqual([
      [200, undefined, '"requests";r=0;t=0', end],
      [429, '0', '"requests";r=0;t=0', end],
    ]);
  });

  describe('by cost', () => {
    const environment = { HISTORY_API__RATE_LIMIT_COST_PER_MINUTE: '100' };
    let cost: string | undefined;
    let upstream: string;
    beforeAll(async () => {
      upstream = await fixture.serve((incoming, response) => {
        incoming.resume();
        if (cost !== undefined) response.setHeader('x-request-cost', cost);
        response.end('{}');
      });
    });

    function createGateway(keyValue = new MemoryKeyValue(), now = () => NOW) {
      const settings = { ...environment, HISTORY_GATEWAY__HISTORY_API_URL: upstream };
      return fixture.createGateway({ environment: settings, keyValue, now });
    }
    const post = (gateway: ReturnType<typeof createGateway>) => request(gateway).post(ROUTES.getActions.path).send({});
    const leftOf = (headers: Record<string, string>) => Number(/"cost";r=(\d+)/.exec(headers['ratelimit'] ?? '')?.[1]);

    it('refuse a client that has used up its quota until the next minute begins', async () => {
      let now = NOW;
      const gateway = createGateway(undefined, () => now);
      cost = '60';
      for (const left of [100, 40]) {
        const { status, headers } = await post(gateway);
        expect([status, leftOf(headers), headers['x-request-cost']]).toEqual([200, left, undefined]);
      }
      const refused = await post(gateway);
      expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
      expect(refused.body.error).toMatchObject({
        name: 'rate_limited',
        details: [{ message: expect.stringMatching(/cost/) }],
      });
      now += 1_000;
      expect((await post(gateway)).status).toBe(200);
    });

    it.each([undefined, '', '-5', '1e9', '0', 'x', '99999999999'])(
      'charge the minimum for the cost header %j',
      async (header) => {
        const gateway = createGateway();
        cost = header;
        await post(gateway);
        expect(leftOf((await post(gateway)).headers)).toBe(99);
      },
    );

    it('tell the cost to a trusted proxy, which may be a gateway of several chains', async () => {
      cost = '7';
      const settings = { HISTORY_GATEWAY__HISTORY_API_URL: upstream };
      const trusting = { ...settings, HISTORY_GATEWAY__TRUSTED_PROXIES: '127.0.0.1,::1' };
      // With a limit, each request is charged at its end once more, when the headers are sent.
      for (const limit of [{}, environment]) {
        const gateway = fixture.createGateway({ environment: { ...trusting, ...limit } });
        for (let sent = 0; sent < 2; sent++) expect((await post(gateway)).headers['x-request-cost']).toBe('7');
      }
      expect((await post(fixture.createGateway({ environment: settings }))).headers['x-request-cost']).toBeUndefined();
    });

    it('are shared by all gateways', async () => {
      const keyValue = new MemoryKeyValue();
      const [first, second] = [createGateway(keyValue), createGateway(keyValue)];
      cost = '50';
      await post(first);
      await post(second);
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect((await post(second)).status).toBe(429);
    });
  });

  it('count requests for pages like requests for endpoints', async () => {
    const gateway = fixture.createGateway({ environment: { HISTORY_API__RATE_LIMIT_RPM: '4' }, now: () => NOW });
    for (const path of ['/live', '/health', '/docs', '/openapi.json']) {
      expect([path, (await request(gateway).get(path)).status]).toEqual([path, 200]);
    }
    for (const path of ['/live', '/health', '/docs', '/docs/swagger-ui-bundle.js', '/openapi.json']) {
      expect([path, (await request(gateway).get(path)).status]).toEqual([path, 429]);
    }
    expect((await request(gateway).post(ROUTES.getActions.path).send({})).status).toBe(429);
  });

  it('do not apply to the operations listener', async () => {
    const operations = fixture.createOperations({ environment: { HISTORY_API__RATE_LIMIT_RPM: '1' } });
    for (let i = 0; i < 3; i++) expect((await request(operations).get('/live')).status).toBe(200);
  });
});
