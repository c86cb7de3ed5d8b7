import {
  type IndexedService,
  type ListeningApp,
  startIndexedService,
  startListeningApp,
  stop,
} from '@antelope-history/processes';
import { ROUTES } from '@antelope-history/routes';
import { sampleFolder } from '@antelope-history/test-support/recordings';
import { CheckedClient } from '../src';

const { getActions, getTransaction, getChainBlock, getTraceBlock } = ROUTES;
const ANY_PORT = {
  HISTORY_GATEWAY__PORT: '0',
  HISTORY_HISTORY_API__PORT: '0',
  HISTORY_CHAIN_API__PORT: '0',
  HISTORY_TRACE_API__PORT: '0',
  HISTORY_OPS__GATEWAY_PORT: '0',
};
/** Nothing listens on the discard port. */
const NOWHERE = 'http://127.0.0.1:9';

describe('the gateway with separate API processes', () => {
  let service: IndexedService;
  const running: ListeningApp[] = [];

  beforeAll(async () => (service = await startIndexedService(sampleFolder('leap-edge'))));
  afterEach(async () => {
    await Promise.all(running.splice(0).map(({ child }) => stop(child)));
  });
  afterAll(() => service.stop());

  async function start(name: string, environment: Record<string, string> = {}): Promise<ListeningApp> {
    const app = await startListeningApp(name, { HISTORY_STORE__LMDB__PATH: service.data, ...ANY_PORT, ...environment });
    running.push(app);
    return app;
  }

  /** Starts a gateway; an API without a URL is unavailable. */
  async function startGateway(urls: { history?: string; chain?: string; trace?: string }, environment = {}) {
    const { url, operationsUrl = '' } = await start('gateway', {
      HISTORY_GATEWAY__HISTORY_API_URL: urls.history ?? NOWHERE,
      HISTORY_GATEWAY__CHAIN_API_URL: urls.chain ?? NOWHERE,
      HISTORY_GATEWAY__TRACE_API_URL: urls.trace ?? NOWHERE,
      ...environment,
    });
    return Object.assign(new CheckedClient(url), { operations: new CheckedClient(operationsUrl) });
  }

  const unavailable = (endpoint: string) => ({
    code: 503,
    message: 'Service Unavailable',
    error: {
      code: 0,
      name: 'unavailable',
      what: 'The service can not answer right now',
      details: [{ message: 'The service can not answer right now', file: '', line_number: 0, method: endpoint }],
    },
  });

  it('responds 503 with Retry-After and without internal details when no API is available', async () => {
    const client = await startGateway({});
    for (const { path: at, endpoint } of Object.values(ROUTES)) {
      const { status, headers, json, text } = await client.post(at, {});
      expect([status, headers.get('retry-after'), json]).toEqual([503, '5', unavailable(endpoint)]);
      expect(text).not.toMatch(/127\.0\.0\.1|ECONNREFUSED|history-api/);
      expect(headers.get('x-request-id')).toMatch(/./);
    }
    const health = await client.send('GET', '/health');
    expect([health.status, health.json]).toMatchObject([503, { status: 'down', committed_block_num: null }]);
    expect((await client.send('GET', '/live')).status).toBe(200);
  });

  it('serves the available APIs while another is unavailable, and all after its restart', async () => {
    const history = await start('history-api');
    const chain = await start('chain-api');
    const client = await startGateway({ history: history.url, chain: chain.url });
    expect((await client.post(getActions.path, {})).status).toBe(200);
    expect((await client.post(getChainBlock.path, { block_num_or_id: 5 })).status).toBe(200);
    expect((await client.post(getTraceBlock.path, { block_num: 5 })).status).toBe(503);
    expect((await client.send('GET', '/health')).json).toMatchObject({ status: 'degraded' });
    expect((await client.operations.send('GET', '/health')).json).toMatchObject({
      status: 'degraded',
      components: { history_api: { status: 'ok' }, trace_api: { status: 'down' } },
    });

    history.child.kill('SIGKILL');
    await stop(history.child);
    const failed = await client.post(getTransaction.path, { id: '00000000' });
    expect([failed.status, failed.headers.get('retry-after'), failed.json]).toEqual([
      503,
      '5',
      unavailable('get_transaction'),
    ]);
    expect((await client.post(getChainBlock.path, { block_num_or_id: 5 })).status).toBe(200);

    await start('history-api', { HISTORY_HISTORY_API__PORT: new URL(history.url).port });
    expect((await client.post(getActions.path, {})).status).toBe(200);
  });

  it('sends the same responses as the standalone app', async () => {
    const [history, chain, trace] = await Promise.all(
      ['history-api', 'chain-api', 'trace-api'].map((name) => start(name)),
    );
    const apart = await startGateway({ history: history?.url ?? '', chain: chain?.url ?? '', trace: trace?.url ?? '' });
    const whole = new CheckedClient(service.url);
    const requests: [string, unknown][] = [
      [getActions.path, { account_name: 'alice', offset: 100 }],
      [getChainBlock.path, { block_num_or_id: 100 }],
      [getTraceBlock.path, { block_num: -1 }],
      [getTransaction.path, { id: 'f'.repeat(64) }],
      [getActions.path, '{bad'],
    ];
    for (const [at, body] of requests) {
      expect((await apart.post(at, body)).text).toBe((await whole.post(at, body)).text);
    }
  });

  it('limits the requests of a client per minute and sends Retry-After', async () => {
    const { url } = await start('history-api');
    const client = await startGateway({ history: url }, { HISTORY_API__RATE_LIMIT_RPM: '3' });
    // A minute may end during the seven requests, so up to six of them may be within the limit.
    const responses = [];
    for (let sent = 0; sent < 7; sent++) responses.push(await client.post(getActions.path, { offset: 1 }));
    const refused = responses.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const { headers, json } of refused) {
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(headers.get('x-ratelimit-limit')).toBe('3');
      expect(headers.get('x-ratelimit-remaining')).toBe('0');
      expect(json).toMatchObject({ code: 429, message: 'Too Many Requests', error: { code: 0, name: 'rate_limited' } });
    }
    expect((await client.operations.send('GET', '/health')).status).toBe(200);
  });

  it('marks only responses about irreversible blocks as immutable', async () => {
    const client = new CheckedClient(service.url);
    const cacheControlOf = async (at: string, body: unknown) =>
      (await client.post(at, body)).headers.get('cache-control');
    const forever = 'public, max-age=31536000, immutable';
    expect(await cacheControlOf(getChainBlock.path, { block_num_or_id: 100 })).toBe(forever);
    expect(await cacheControlOf(getTraceBlock.path, { block_num: 100 })).toBe(forever);
    expect(await cacheControlOf(getTraceBlock.path, { block_num: -1 })).toBeNull();
    expect(await cacheControlOf(getActions.path, {})).toBeNull();
    const { headers } = await client.post(getChainBlock.path, { block_num_or_id: 100 });
    const again = await client.post(
      getChainBlock.path,
      { block_num_or_id: 100 },
      { 'if-none-match': headers.get('etag') ?? '' },
    );
    expect(again.status).toBe(200);
  });
});
