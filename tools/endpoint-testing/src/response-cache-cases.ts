import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import type { RequestListener } from 'node:http';
import request from 'supertest';
import type { KeyValue } from '@antelope-history/key-value';
import { MemoryKeyValue } from '@antelope-history/key-value-memory';
import { HistoryError } from '@antelope-history/schemas';
import { Registry } from '@antelope-history/app-runtime';
import type { ChainStatus } from '@antelope-history/store';
import { readTraceBlocks, sampleFolder } from '@antelope-history/test-support/recordings';
import { createApiDeps } from './api-deps';
import { openSampleReader, type SampleReader } from './sample-reader';

type CreateApi = (deps: ReturnType<typeof createApiDeps> & { keyValue?: KeyValue }) => RequestListener;

/** The parts of a response that a client receives. */
interface Received {
  status: number;
  length: number;
  hash: string;
  etag: string | undefined;
  type: string | undefined;
  cache: string | undefined;
}

/** An API over the sample chain `leap-edge` whose response cache is in memory. */
export class CachedApi {
  readonly keyValue: KeyValue = new MemoryKeyValue();
  readonly reader: SampleReader;
  private readonly registry = new Registry();
  private readonly app: RequestListener;

  constructor(
    private readonly createApi: CreateApi,
    private readonly path: string,
    reader: SampleReader,
  ) {
    this.reader = Object.create(reader) as SampleReader;
    this.app = createApi({ ...createApiDeps(this.reader), registry: this.registry, keyValue: this.keyValue });
  }

  post(body: object): Promise<Received> {
    return this.postTo(this.app, body);
  }

  /** The response of the same API without a cache. */
  postUncached(body: object): Promise<Received> {
    return this.postTo(this.createApi(createApiDeps(this.reader)), body);
  }

  /** Number of lookups in the cache, by outcome. */
  async outcomes(): Promise<Record<string, number>> {
    const { values } = (await this.registry.getSingleMetric('history_response_cache_total')?.get()) ?? { values: [] };
    return Object.fromEntries(values.map(({ labels, value }) => [String(labels['outcome']), value]));
  }

  private async postTo(app: RequestListener, body: object): Promise<Received> {
    const { status, text, headers } = await request(app).post(this.path).send(body);
    return {
      status,
      length: text.length,
      hash: createHash('sha256').update(text).digest('hex'),
      etag: headers['etag'],
      type: headers['content-type'],
      cache: headers['cache-control'],
    };
  }
}

/** An irreversible block of `leap-edge` and the id of one of its transactions. */
export function findFinalBlock(): { blockNum: number; transactionId: string } {
  for (const { blockNum, status, body } of readTraceBlocks(sampleFolder('leap-edge'))) {
    if (status !== 200) continue;
    const [, transaction] = (JSON.parse(body) as { transactions: { id: string }[] }).transactions;
    if (transaction) return { blockNum, transactionId: transaction.id };
  }
  throw new Error('the sample has no irreversible transaction');
}

export interface ResponseCacheCases {
  createApi: CreateApi;
  path: string;
  /** A request whose response is final and has data of `blockNum`. */
  finalRequest: object;
  blockNum: number;
  /** Requests with responses that are never final, by the end of a test title. */
  otherRequests: Record<string, object>;
}

/** Declares the tests of the response cache that every cacheable endpoint has to pass. */
export function describeResponseCache(cases: ResponseCacheCases): void {
  const { createApi, path, finalRequest, blockNum, otherRequests } = cases;

  describe('the response cache', () => {
    let sample: SampleReader;
    let status: ChainStatus;
    let api: CachedApi;
    beforeAll(() => {
      sample = openSampleReader('leap-edge');
      status = sample.status;
    });
    beforeEach(() => {
      api = new CachedApi(createApi, path, sample);
    });

    it('stores a response that is requested twice, and returns it unchanged', async () => {
      const uncached = await api.postUncached(finalRequest);
      expect([uncached.status, uncached.cache]).toEqual([200, expect.stringContaining('immutable')]);
      for (const outcome of [{ miss: 1 }, { miss: 2 }, { miss: 2, hit: 1 }, { miss: 2, hit: 2 }]) {
        expect(await api.post(finalRequest)).toEqual(uncached);
        expect(await api.outcomes()).toMatchObject(outcome);
      }
    });

    it('changes no response when it is flushed, or while the key-value store fails, hangs or returns garbage', async () => {
      const first = await api.post(finalRequest);
      await api.post(finalRequest);
      await api.keyValue.close();
      expect(await api.post(finalRequest)).toEqual(first);
      for (const get of [
        () => Promise.reject(new Error('unavailable')),
        () => new Promise<never>(() => undefined),
        ...['', 'x', '\n\n', '{"id":1}\n', 'null\n{}\n', '[]\n{}\n'].map((value) => () => Promise.resolve(value)),
      ]) {
        api.keyValue.get = get;
        api.keyValue.set = () => Promise.reject(new Error('unavailable'));
        expect(await api.post(finalRequest)).toEqual(first);
      }
    });

    it.each<Partial<ChainStatus>>([
      { chainId: 'ff'.repeat(32) },
      { storeId: 'another store' },
      { firstBlockNum: 2 },
      { committed: { num: blockNum - 1, id: '' } },
      { lastIrreversible: { num: blockNum - 1, id: '' } },
      { committed: undefined, lastIrreversible: undefined, firstBlockNum: undefined },
    ])('returns no cached response when the store has another history: %j', async (other) => {
      for (let times = 0; times < 3; times++) await api.post(finalRequest);
      expect(await api.outcomes()).toMatchObject({ hit: 1, stale: 0 });
      api.reader.status = { ...status, ...other };
      expect(await api.post(finalRequest)).toEqual(await api.postUncached(finalRequest));
      expect(await api.outcomes()).toMatchObject({ hit: 1, stale: 1 });
    });

    it('returns no cached response while the store is unavailable', async () => {
      for (let times = 0; times < 3; times++) await api.post(finalRequest);
      api.reader.getStatus = () => Promise.reject(new HistoryError('STORE_UNAVAILABLE', 'unavailable'));
      expect((await api.post(finalRequest)).status).toBe(503);
    });

    it.each(Object.entries(otherRequests))('stores no response %s', async (_, body) => {
      const written: string[] = [];
      api.keyValue.set = (key) => Promise.resolve(void written.push(key));
      for (let times = 0; times < 3; times++) await api.post(body);
      expect(written).toEqual([]);
    });
  });
}
