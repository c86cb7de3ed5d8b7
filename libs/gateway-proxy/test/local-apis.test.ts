import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import request from 'supertest';
import { parseJsonBody, Registry } from '@antelope-history/app-runtime';
import { ROUTES } from '@antelope-history/routes';
import { type ErrorCode, HistoryError } from '@antelope-history/schemas';
import type { LocalApis, LocalResponder } from '../src';
import { CHAIN_FACTS, GatewayFixture } from './gateway-fixture';

const { path } = ROUTES.getActions;
const MIB = 1024 * 1024;

/** Digits that compress to a third only, so that a compressed response fills the buffers of streams. */
function fillingOf(bytes: number): string {
  let text = '';
  for (let index = 1; text.length < bytes; index++) text += Math.imul(index, 0x9e3779b1) >>> 0;
  return text.slice(0, bytes);
}

/** Echoes the path and the body, in as many pieces as the body asks for. */
const echo =
  (route: string): LocalResponder =>
  async ({ bytes, contentEncoding }) => {
    const body = parseJsonBody(bytes, contentEncoding, 64 * 1024);
    const text = JSON.stringify({ route, body, filling: fillingOf(Number(body['bytes'] ?? 0)) });
    const size = Math.ceil(text.length / Number(body['pieces'] ?? 1));
    const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
      Buffer.from(text.slice(index * size, (index + 1) * size)),
    );
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'content-length': text.length,
      etag: 'W/"id"',
    };
    return { headers, pieces, cost: 7 };
  };

function localApis(responder: (route: string) => LocalResponder = echo): LocalApis {
  return {
    responders: new Map(Object.values(ROUTES).map((route) => [route.path, responder(route.path)])),
    stream: (_request, response) => void response.end('the stream'),
    readHealth: async () => ({ ...CHAIN_FACTS, status: 'ok' }),
  };
}

const failing = (code: ErrorCode): LocalApis =>
  localApis(() => () => Promise.reject(new HistoryError(code, 'for the test')));

describe('a gateway with the APIs in its own process', () => {
  const fixture = new GatewayFixture();
  // No API listens at the URLs of the fixture.
  afterAll(() => fixture.close());

  it.each(Object.values(ROUTES))('passes requests of $path to its responder', async (route) => {
    const response = await request(fixture.createGateway({ localApis: localApis() }))
      .post(route.path)
      .send({ a: 1 });
    expect([response.status, response.body]).toMatchObject([200, { route: route.path, body: { a: 1 } }]);
    expect(response.headers).toMatchObject({ etag: 'W/"id"', 'content-type': 'application/json; charset=utf-8' });
    expect(response.headers['x-request-id']).toBeDefined();
    expect(response.headers['x-request-cost']).toBeUndefined();
  });

  it('sends a long response in pieces', async () => {
    const gateway = fixture.createGateway({ localApis: localApis() });
    const response = await request(gateway).post(path).send({ bytes: 3_000_000, pieces: 50 });
    expect(response.body.filling).toHaveLength(3_000_000);
  });

  it.each([1, 3, 50])(
    'compresses a response of %i pieces, and serves the next on the same connection',
    async (pieces) => {
      const { url } = await fixture.serveLimited({ localApis: localApis() });
      for (const bytes of [200_000, 2_000_000, 10]) {
        const response = await fetch(url + path, { method: 'POST', body: JSON.stringify({ bytes, pieces }) });
        expect(response.headers.get('content-encoding')).toBe(bytes > 10 ? 'gzip' : null);
        expect(((await response.json()) as { filling: string }).filling).toHaveLength(bytes);
      }
    },
  );

  describe('with a client that does not read a long response', () => {
    const bytes = 16 * 1024 * 1024;

    it.each([
      { pieces: 1, atLeast: bytes, atMost: bytes + MIB },
      // The client's system takes some of the pieces.
      { pieces: 64, atLeast: MIB, atMost: bytes - bytes / 64 },
    ])('counts what it holds of $pieces pieces', async ({ pieces, atLeast, atMost }) => {
      const registry = new Registry();
      const { url } = await fixture.serveLimited({ localApis: localApis(), registry });
      const client = connect(Number(new URL(url).port), '127.0.0.1').pause();
      const body = JSON.stringify({ bytes, pieces });
      client.write(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      const heldBytes = async (): Promise<number> => {
        const text = await registry.getSingleMetricAsString('history_gateway_response_bytes');
        return Number(/^history_gateway_response_bytes (\S+)$/m.exec(text)?.[1]);
      };
      const until = async (holds: (held: number) => boolean): Promise<void> => {
        while (!holds(await heldBytes())) await sleep(10);
      };
      await until((held) => held >= atLeast && held <= atMost);
      client.destroy();
      await until((held) => held === 0);
    });
  });

  it('parses compressed bodies, and refuses bodies that are none', async () => {
    const gateway = fixture.createGateway({ localApis: localApis() });
    const post = (body: Buffer, encoding: string) =>
      request(gateway).post(path).type('application/octet-stream').set('content-encoding', encoding).send(body);
    expect((await post(gzipSync('{"a":2}'), 'gzip')).body).toMatchObject({ body: { a: 2 } });
    expect((await post(Buffer.from('{'), 'identity')).status).toBe(400);
    // A header without a value, which a gateway of separate processes does not forward.
    expect((await post(Buffer.from('{"a":2}'), '')).body).toMatchObject({ body: { a: 2 } });
    expect((await post(Buffer.alloc(0), 'gzip')).body).toMatchObject({ body: {} });
    expect((await post(gzipSync('x'.repeat(1_000_000)), 'gzip')).status).toBe(413);
  });

  it('answers the errors of an API as the API would', async () => {
    const registry = new Registry();
    const missing = await request(fixture.createGateway({ localApis: failing('TRANSACTION_NOT_FOUND'), registry }))
      .post(path)
      .send({});
    expect([missing.status, missing.body.error.details[0].method]).toEqual([404, ROUTES.getActions.endpoint]);
    expect(await registry.metrics()).toContain(`http_requests_total{app="history-api",path="${path}",status="4xx"} 1`);
    const busy = await request(fixture.createGateway({ localApis: failing('STORE_UNAVAILABLE') }))
      .post(path)
      .send({});
    expect([busy.status, busy.text.includes('for the test')]).toEqual([503, false]);
  });

  it('charges the cost of requests that fail', async () => {
    const error = Object.assign(new HistoryError('QUERY_TOO_BROAD', 'for the test'), { cost: 7 });
    const environment = { HISTORY_API__RATE_LIMIT_COST_PER_MINUTE: '10' };
    const gateway = fixture.createGateway({
      localApis: localApis(() => () => Promise.reject(error)),
      environment,
    });
    const statuses = [];
    for (let turn = 0; turn < 3; turn++) statuses.push((await request(gateway).post(path).send({})).status);
    expect(statuses).toEqual([400, 400, 429]);
  });

  const response = { headers: {}, pieces: [Buffer.from('{}')], cost: 10 };
  it.each([
    ['fails', () => Promise.reject(Object.assign(new HistoryError('CLIENT_LEFT', 'for the test'), { cost: 10 }))],
    ['ends all the same', () => Promise.resolve(response)],
  ])('charges a unit when the client leaves, and the rest of the cost when the work %s', async (_, respond) => {
    let end = (): void => undefined;
    const mayEnd = new Promise<void>((resolve) => (end = resolve));
    const client = new AbortController();
    let hasLeft = (): void => undefined;
    const left = new Promise<void>((resolve) => (hasLeft = resolve));
    const leaving: LocalResponder = async (_body, signal) => {
      signal.addEventListener('abort', hasLeft);
      client.abort();
      await mayEnd;
      return respond();
    };
    const { url } = await fixture.serveLimited({
      localApis: localApis(() => leaving),
      environment: { HISTORY_API__RATE_LIMIT_COST_PER_MINUTE: '12' },
      now: () => 60_000,
    });
    const live = () => fetch(`${url}/live`);
    await expect(fetch(url + path, { method: 'POST', body: '{}', signal: client.signal })).rejects.toThrow();
    await left;
    expect((await live()).headers.get('ratelimit')).toContain('"cost";r=11;');
    end();
    // The request for the page has cost one unit.
    expect((await live()).headers.get('ratelimit')).toContain('"cost";r=1;');
    expect((await live()).status).toBe(429);
  });

  it('charges the cost and counts the requests under the name of the API', async () => {
    const registry = new Registry();
    const environment = { HISTORY_API__RATE_LIMIT_COST_PER_MINUTE: '10' };
    const gateway = fixture.createGateway({ localApis: localApis(), environment, registry });
    const statuses = [];
    for (let turn = 0; turn < 3; turn++) statuses.push((await request(gateway).post(path).send({})).status);
    expect(statuses).toEqual([200, 200, 429]);
    const text = await registry.metrics();
    expect(text).toContain(`http_requests_total{app="history-api",path="${path}",status="2xx"} 2`);
    expect(text).toContain('http_requests_in_flight{app="history-api"} 0');
  });

  it('reports them as down when they are of another chain', async () => {
    const operations = fixture.createOperations({ localApis: localApis(), chainId: 'cd'.repeat(32) });
    const { status, body } = await request(operations).get('/health');
    const other = { status: 'down', reason: 'CHAIN_ID_MISMATCH' };
    expect([status, body]).toMatchObject([
      503,
      { chain_id: null, components: { history_api: other, chain_api: other } },
    ]);
  });

  it('reports their health without a request to their URLs', async () => {
    const health = await request(fixture.createOperations({ localApis: localApis() })).get('/health');
    expect(health.body).toMatchObject({
      status: 'ok',
      committed_block_num: CHAIN_FACTS.committed_block_num,
      components: { history_api: { status: 'ok' }, chain_api: { status: 'ok' }, trace_api: { status: 'ok' } },
    });
  });
});
