import request from 'supertest';
import { MemoryKeyValue } from '@antelope-history/key-value-memory';
import { healthResponse } from '@antelope-history/schemas';
import type { Heartbeat } from '@antelope-history/app-runtime';
import { BrokenKeyValue, CHAIN_FACTS, GatewayFixture, type Settings } from './gateway-fixture';

describe('GET /health of the operations listener', () => {
  const fixture = new GatewayFixture();
  beforeAll(() => fixture.open());
  afterAll(() => fixture.close());
  beforeEach(() => (fixture.chainHealth = 'ok'));

  const healthOf = async (settings?: Settings) => request(fixture.createOperations(settings)).get('/health');

  it('shows the chain state of the APIs, and every component', async () => {
    const response = await healthOf({ components: { reader: async () => ({ status: 'ok' as const }) } });
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

  it('reports the reason why a component is down, if it is known', async () => {
    const shipHealth = { status: 'down', reason: 'SHIP_UNSUPPORTED' } as const;
    const { status, body } = await healthOf({ components: { ship: async () => shipHealth } });
    expect([status, body]).toMatchObject([200, { status: 'degraded', components: { ship: shipHealth } }]);
  });

  it.each<[string, Settings]>([
    ['an API', { environment: { HISTORY_GATEWAY__HISTORY_API_URL: 'http://127.0.0.1:9' } }],
    ['the key-value store', { keyValue: new BrokenKeyValue() }],
    [
      'the key-value store that counts requests',
      { environment: { HISTORY_API__RATE_LIMIT_RPM: '1' }, keyValue: new BrokenKeyValue() },
    ],
    ['another component', { components: { reader: () => Promise.reject(new Error('gone')) } }],
  ])('is degraded when %s is unavailable', async (_, settings) => {
    const response = await healthOf(settings);
    expect([response.status, response.body.status, response.body.head_block_num]).toEqual([200, 'degraded', 12]);
  });

  it('is degraded when an API reports that it is down', async () => {
    fixture.chainHealth = 'down';
    expect((await healthOf()).body).toMatchObject({
      status: 'degraded',
      components: { chain_api: { status: 'down' } },
    });
  });

  it.each(['', ' of which another responds'])(
    'is degraded while an API of another chain has its address%s',
    async (among) => {
      const right = fixture.apiUrls().history_api_url;
      const facts = { ...CHAIN_FACTS, chain_id: 'cd'.repeat(32), status: 'ok' };
      const other = await fixture.serve((_request, response) => void response.end(JSON.stringify(facts)));
      const urls = among ? `${right},${other}` : other;
      const { body } = await healthOf({
        environment: { HISTORY_GATEWAY__HISTORY_API_URL: urls },
        chainId: CHAIN_FACTS.chain_id,
      });
      expect(body).toMatchObject({
        status: 'degraded',
        components: { history_api: { status: 'down', reason: 'CHAIN_ID_MISMATCH' } },
      });
    },
  );

  it('reads what another gateway shows its clients in place of an API', async () => {
    const { components: _components, incomplete_ranges: _ranges, ...shown } = CHAIN_FACTS;
    const outer = await fixture.serve(
      (_request, response) => void response.end(JSON.stringify({ ...shown, status: 'ok' })),
    );
    const { body } = await healthOf({ environment: { HISTORY_GATEWAY__HISTORY_API_URL: outer } });
    expect(body).toMatchObject({ ...shown, status: 'ok', incomplete_ranges: [] });
  });

  it('does not wait for a key-value store that hangs', async () => {
    const keyValue = new MemoryKeyValue();
    keyValue.listMembers = () => new Promise(() => undefined);
    expect((await healthOf({ keyValue })).body).toMatchObject({ status: 'ok', head_block_num: 12 });
  });

  it('is down with status 503 when no API responds', async () => {
    const response = await healthOf({
      environment: {
        HISTORY_GATEWAY__HISTORY_API_URL: 'http://127.0.0.1:9',
        HISTORY_GATEWAY__CHAIN_API_URL: 'http://127.0.0.1:9',
        HISTORY_GATEWAY__TRACE_API_URL: 'http://127.0.0.1:9',
      },
    });
    expect([response.status, response.body.status]).toEqual([503, 'down']);
  });

  it('counts processes by their heartbeats, and is degraded when a stage is missing', async () => {
    const keyValue = new MemoryKeyValue();
    let now = 0;
    const components = { reader: async () => ({ status: 'ok' as const }) };
    const gateway = fixture.createOperations({ keyValue, components, now: () => now });
    const heartbeat = (kind: string): Heartbeat => ({
      kind,
      host: 'machine',
      pid: 1,
      since: '2026-01-01T00:00:00.000Z',
      status: 'ok',
      work: { unit: kind.endsWith('api') ? 'requests' : 'blocks', perSecond: 1.5 },
    });
    for (const [id, kind] of ['reader', 'indexer', 'indexer', 'history-api'].entries()) {
      await keyValue.setMember('heartbeats', String(id), JSON.stringify(heartbeat(kind)), 60_000);
    }
    const first = await request(gateway).get('/health');
    expect(first.body).toMatchObject({
      status: 'ok',
      components: {
        reader: { status: 'ok', count: 1, blocks_per_second: 1.5 },
        indexer: { status: 'ok', count: 2, blocks_per_second: 3 },
        history_api: { status: 'ok', count: 1, requests_per_second: 1.5 },
        chain_api: { status: 'ok' },
      },
    });
    expect(healthResponse.parse(first.body)).toEqual(first.body);
    expect(first.text).not.toContain('machine');
    now = 10_000;
    expect((await request(gateway).get('/health')).body).toMatchObject({
      status: 'degraded',
      components: { deserializer: { status: 'down', count: 0 }, reader: { status: 'ok' } },
    });
  });

  it.each([
    [5, { status: 'ok', head_block_num: 12 }],
    [12, { status: 'ok', head_block_num: 12 }],
    [1_000, { status: 'catching_up', head_block_num: 1_000, lag_blocks: 1_000 - CHAIN_FACTS.committed_block_num }],
  ])(
    'computes the lag from the head that the reader knows, %i, when nothing is committed any more',
    async (headBlock, health) => {
      const keyValue = new MemoryKeyValue();
      const heartbeat: Heartbeat = {
        kind: 'reader',
        host: 'machine',
        pid: 1,
        since: '2026-01-01T00:00:00.000Z',
        status: 'ok',
        headBlock,
        work: { unit: 'blocks', perSecond: 0 },
      };
      await keyValue.setMember('heartbeats', 'one', JSON.stringify(heartbeat), 60_000);
      expect((await request(fixture.createOperations({ keyValue })).get('/health')).body).toMatchObject(health);
    },
  );

  it('requests the health of the APIs at most once a second', async () => {
    let requests = 0;
    const components = { reader: async () => (requests++, { status: 'ok' as const }) };
    let now = 0;
    const gateway = fixture.createOperations({ components, now: () => now });
    await Promise.all([request(gateway).get('/health'), request(gateway).get('/health')]);
    expect(requests).toBe(1);
    now = 1000;
    await request(gateway).get('/health');
    expect(requests).toBe(2);
  });
});
