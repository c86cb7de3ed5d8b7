import crypto from 'node:crypto';
import request from 'supertest';
import { ApiClient, createApiDeps, openSampleReader, type SampleReader } from '@antelope-history/endpoint-testing';
import { printJson } from '@antelope-history/json';
import { MemoryKeyValue } from '@antelope-history/key-value-memory';
import {
  defineRoute,
  errorResponse,
  healthResponse,
  HistoryError,
  type RouteTable,
  shortHealthResponse,
} from '@antelope-history/schemas';
import { readServiceVersion } from '@antelope-history/app-runtime';
import type { HistoryReader } from '@antelope-history/store';
import { type ApiDeps, createApi, type CreateEndpoint } from '../src';
import { createCacheKeys, ResponseCache } from '../src/response-cache';

const routeOf = (endpoint: string, cacheable: boolean) =>
  defineRoute({
    group: 'history',
    endpoint,
    method: 'POST',
    path: `/v1/history/${endpoint}`,
    request: errorResponse
      .pick({ message: true })
      .partial()
      .meta({ id: `${endpoint}Request` }),
    response: shortHealthResponse.pick({ head_block_num: true }).meta({ id: `${endpoint}Response` }),
    errors: ['INVALID_REQUEST'],
    cacheable,
    summary: '',
    description: '',
    example: { request: {}, response: { head_block_num: 1 } },
  });

const ROUTES = { getFinal: routeOf('get_final', true), getCurrent: routeOf('get_current', false) } satisfies RouteTable;

/** Reads the head block's number; says that each response is final. */
const createGetHead: CreateEndpoint<typeof ROUTES.getFinal> = ({ reader }) => {
  return async () => {
    const status = await reader.getStatus();
    return { body: { head_block_num: status.head?.num ?? 0 }, final: { id: 'ab', blockNum: 1, status } };
  };
};

describe('createApi', () => {
  let sample: SampleReader;
  beforeAll(() => (sample = openSampleReader('leap-edge')));

  const client = new ApiClient(ROUTES);
  const createTestApi = (deps: ApiDeps) =>
    createApi('test-api', ROUTES, { getFinal: createGetHead, getCurrent: createGetHead }, deps);

  describe('with a key-value store', () => {
    const { getFinal, getCurrent } = ROUTES;

    it('hashes requests of cacheable routes only', async () => {
      const createHash = jest.spyOn(crypto, 'createHash');
      const app = createTestApi({ ...createApiDeps(sample), keyValue: new MemoryKeyValue() });
      await client.post(app, getCurrent, {});
      expect(createHash).not.toHaveBeenCalled();
      await client.post(app, getFinal, {});
      expect(createHash).toHaveBeenCalledTimes(1);
      createHash.mockRestore();
    });

    it('marks only responses of cacheable routes as final', async () => {
      const app = createTestApi({ ...createApiDeps(sample), keyValue: new MemoryKeyValue() });
      expect((await client.post(app, getFinal, {})).headers).toMatchObject({
        etag: 'W/"ab"',
        'cache-control': expect.stringContaining('immutable'),
      });
      const { headers } = await client.post(app, getCurrent, {});
      expect([headers['etag'], headers['cache-control']]).toEqual([undefined, undefined]);
    });
  });

  it('hashes no request without a key-value store', async () => {
    const createHash = jest.spyOn(crypto, 'createHash');
    await client.post(createTestApi(createApiDeps(sample)), ROUTES.getFinal, {});
    expect(createHash).not.toHaveBeenCalled();
    createHash.mockRestore();
  });

  describe('while the store is unavailable', () => {
    function brokenReader(): HistoryReader {
      const reject = () => Promise.reject(new HistoryError('STORE_UNAVAILABLE', '/var/data is not mounted'));
      return Object.assign(Object.create(sample) as HistoryReader, { getStatus: reject });
    }

    it('responds 503 with Retry-After and no internal detail', async () => {
      const response = await client.post(createTestApi(createApiDeps(brokenReader())), ROUTES.getCurrent, {});
      expect([response.status, response.headers['retry-after'], response.body.error.name]).toEqual([
        503,
        '5',
        'unavailable',
      ]);
      expect(response.text).not.toContain('/var/data');
    });

    it('tells the gateway the cost of the work until then', async () => {
      const createCostly: typeof createGetHead = (context) => async (request, work, filters) => {
        await work.pauseSearch(10_000_000);
        return createGetHead(context)(request, work, filters);
      };
      const endpoints = { getFinal: createCostly, getCurrent: createCostly };
      const api = createApi('test-api', ROUTES, endpoints, createApiDeps(brokenReader()));
      const { status, headers } = await client.post(api, ROUTES.getCurrent, {});
      expect([status, Number(headers['x-request-cost'])]).toEqual([503, 153]);
    });

    it('is no obstacle to later large responses', async () => {
      const createLarge: typeof createGetHead = (context) => async (request, work, filters) => {
        await work.becomeLarge();
        return createGetHead(context)(request, work, filters);
      };
      const reader = brokenReader();
      const api = createApi(
        'test-api',
        ROUTES,
        { getFinal: createLarge, getCurrent: createLarge },
        createApiDeps(reader),
      );
      for (let times = 0; times < 2; times++) await client.post(api, ROUTES.getCurrent, {});
      reader.getStatus = () => sample.getStatus();
      for (let times = 0; times < 3; times++) {
        expect((await client.post(api, ROUTES.getCurrent, {})).status).toBe(200);
      }
    });

    it('is down in /health', async () => {
      const response = await request(createTestApi(createApiDeps(brokenReader()))).get('/health');
      expect([response.status, response.body.status, response.body.components]).toEqual([
        503,
        'down',
        { store: { status: 'down' } },
      ]);
    });

    it('still shows its metrics', async () => {
      const response = await request(createTestApi(createApiDeps(brokenReader()))).get('/metrics');
      expect([response.status, response.text.includes('history_block_number{position="committed"} 0')]).toEqual([
        200,
        true,
      ]);
    });
  });

  describe('GET /health', () => {
    const healthOf = async (status: Partial<SampleReader['status']>) => {
      const reader = Object.create(sample) as SampleReader;
      reader.status = { ...sample.status, ...status };
      return healthResponse.parse((await request(createTestApi(createApiDeps(reader))).get('/health')).body);
    };
    const at = (num: number) => ({ num, id: '0'.repeat(64) });

    it.each([
      ['ok', { head: at(500), committed: at(500) }, 0],
      ['ok', { head: at(500), committed: at(490) }, 10],
      ['catching_up', { head: at(500), committed: at(489) }, 11],
      ['catching_up', { head: undefined, committed: undefined }, null],
      ['catching_up', { head: at(500), committed: undefined }, null],
    ])('is %s with %j', async (status, chain, lag) => {
      expect(await healthOf(chain)).toMatchObject({ status, lag_blocks: lag, version: '4.1.0' });
    });

    it('shows the state of the chain', async () => {
      const { head, committed, lastIrreversible } = sample.status;
      expect(await healthOf({ chainId: 'ab'.repeat(32) })).toMatchObject({
        chain_id: 'ab'.repeat(32),
        head_block_num: head?.num,
        committed_block_num: committed?.num,
        last_irreversible_block_num: lastIrreversible?.num,
      });
    });
  });
});

describe('ResponseCache', () => {
  it('keeps no large response', () => {
    const keyValue = new MemoryKeyValue();
    const set = jest.spyOn(keyValue, 'set');
    const reader = openSampleReader('leap-edge');
    const { registry } = createApiDeps(reader);
    const cache = new ResponseCache({ keyValue, reader, registry, app: 'test' });
    const keepTwice = (key: string, characters: number): void => {
      for (let times = 0; times < 2; times++) {
        const body = { text: 'x'.repeat(characters) };
        cache.keep(key, body, printJson(body), { id: 'id', blockNum: 1, status: reader.status });
      }
    };
    keepTwice('large', 128 * 1024);
    expect(set).not.toHaveBeenCalled();
    keepTwice('small', 127 * 1024);
    expect(set).toHaveBeenCalledTimes(1);
  });
});

describe('createCacheKeys', () => {
  it('keeps the stored form of the keys', () => {
    const hash = 'AVq9f1zFei3ZS3WQ8ErYCEJzkF7jPsXOvq5iJ2qX-GI';
    expect(createCacheKeys('/v1/x/y')({ a: 1 })).toBe(`answer:${readServiceVersion()}:/v1/x/y:${hash}`);
  });
});
