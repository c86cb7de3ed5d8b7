import request from 'supertest';
import { MemoryKeyValue } from '@antelope-history/in-process';
import { ROUTES } from '@antelope-history/schemas';
import { BrokenKeyValue, GatewayStand } from './gateway-stand';

describe('rate limits', () => {
  const stand = new GatewayStand();
  beforeAll(() => stand.open());
  afterAll(() => stand.close());
  const NOW = Date.UTC(2026, 0, 1, 0, 0, 59);

  it('count by client address and minute', async () => {
    let now = NOW;
    const environment = {
      HISTORY_API__RATE_LIMIT_RPM: '2',
      HISTORY_GATEWAY__TRUSTED_PROXIES: '127.0.0.1,::1,::ffff:127.0.0.1',
    };
    const gateway = stand.createGateway({ environment, now: () => now });
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
    const gateway = stand.createGateway({ environment });
    const post = (client: string) =>
      request(gateway).post(ROUTES.getActions.path).set('x-forwarded-for', client).send({});
    await post('2001:db8::1');
    expect((await post('2001:db8::2')).status).toBe(429);
    expect((await post('2001:db8:0:1::1')).status).toBe(200);
  });

  it('are shared by gateways through the key-value store, and not fooled by X-Forwarded-For', async () => {
    const shared = { environment: { HISTORY_API__RATE_LIMIT_RPM: '1' }, keyValue: new MemoryKeyValue() };
    const [first, second] = [stand.createGateway(shared), stand.createGateway(shared)];
    await request(first).post(ROUTES.getActions.path).set('x-forwarded-for', '10.0.0.1').send({});
    const response = await request(second).post(ROUTES.getActions.path).set('x-forwarded-for', '10.0.0.2').send({});
    expect(response.status).toBe(429);
  });

  it('are kept by each gateway alone while the key-value store is away', async () => {
    const environment = { HISTORY_API__RATE_LIMIT_RPM: '2' };
    const broken = { environment, keyValue: new BrokenKeyValue(), now: () => NOW };
    const [first, second] = [stand.createGateway(broken), stand.createGateway(broken)];
    const post = (gateway: typeof first) => request(gateway).post(ROUTES.getActions.path).send({});
    expect((await post(first)).headers).toMatchObject({ 'x-ratelimit-remaining': '1' });
    expect((await post(first)).status).toBe(200);
    expect((await post(first)).status).toBe(429);
    expect((await post(second)).status).toBe(200);
    const { text } = await request(first).get('/metrics');
    expect(text).toContain('history_requests_counted_alone_total 2');
  });

  it('wait for no key-value store that hangs', async () => {
    const keyValue = new MemoryKeyValue();
    keyValue.count = () => new Promise(() => undefined);
    const environment = { HISTORY_API__RATE_LIMIT_RPM: '1' };
    const gateway = stand.createGateway({ environment, keyValue, now: () => NOW });
    const startedAt = performance.now();
    expect((await request(gateway).post(ROUTES.getActions.path).send({})).status).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(1_500);
    expect((await request(gateway).post(ROUTES.getActions.path).send({})).status).toBe(429);
  });

  it('stay what they were when the key-value store forgets, and ask it nothing about a flood', async () => {
    const keyValue = new MemoryKeyValue();
    const count = jest.spyOn(keyValue, 'count');
    const environment = { HISTORY_API__RATE_LIMIT_RPM: '2' };
    const gateway = stand.createGateway({ environment, keyValue, now: () => NOW });
    const statuses: number[] = [];
    for (let requests = 0; requests < 6; requests++) {
      statuses.push((await request(gateway).post(ROUTES.getActions.path).send({})).status);
      await keyValue.close();
    }
    expect(statuses).toEqual([200, 200, 429, 429, 429, 429]);
    expect(count).toHaveBeenCalledTimes(2);
  });

  it('leave /health alone', async () => {
    const gateway = stand.createGateway({ environment: { HISTORY_API__RATE_LIMIT_RPM: '1' } });
    for (let i = 0; i < 3; i++) expect((await request(gateway).get('/live')).status).toBe(200);
  });
});
