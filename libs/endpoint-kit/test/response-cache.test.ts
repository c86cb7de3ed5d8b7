import { createHash } from 'node:crypto';
import type { Express } from 'express';
import request from 'supertest';
import { printJson } from '@antelope-history/json';
import { MemoryKeyValue } from '@antelope-history/in-process';
import type { KeyValue } from '@antelope-history/key-value';
import type { ChainStatus } from '@antelope-history/records';
import { readTraceBlocks, sampleFolder } from '@antelope-history/recordings';
import { ROUTES } from '@antelope-history/routes';
import { HistoryError, type Route } from '@antelope-history/schemas';
import { createLogger, loadConfig, Registry } from '@antelope-history/service';
import { createChainApi, createHistoryApi, createTraceApi } from '../src';
import { ResponseCache } from '../src/response-cache';
import { SampleReader } from './sample-reader';

const CREATE = { history: createHistoryApi, chain: createChainApi, trace: createTraceApi };

/** A block of the sample that is irreversible, and its transaction. */
const { BLOCK, TRANSACTION_ID } = (() => {
  for (const { blockNum, status, body } of readTraceBlocks(sampleFolder('leap-edge'))) {
    if (status !== 200) continue;
    const { transactions } = ROUTES.getTraceBlock.response.parse(JSON.parse(body));
    if (transactions.length > 1) return { BLOCK: blockNum, TRANSACTION_ID: String(transactions[1]?.id) };
  }
  throw new Error('the sample has no irreversible transaction');
})();

const CASES: [string, Route, object][] = [
  ['get_transaction', ROUTES.getTransaction, { id: TRANSACTION_ID }],
  ['get_block of chain_api', ROUTES.getChainBlock, { block_num_or_id: BLOCK }],
  ['get_block of trace_api', ROUTES.getTraceBlock, { block_num: BLOCK }],
];

describe('final answers', () => {
  let reader: SampleReader;
  let keyValue: KeyValue;
  let registry: Registry;
  let status: ChainStatus;
  beforeAll(() => {
    reader = new SampleReader('leap-edge');
    status = reader.status;
  });
  beforeEach(() => {
    reader.status = status;
    keyValue = new MemoryKeyValue();
    registry = new Registry();
  });

  const createApi = ({ group }: Route, keeps = true): Express =>
    CREATE[group]({
      reader,
      config: loadConfig([], {}).api,
      log: createLogger('test', 'silent'),
      registry,
      ...(keeps && { keyValue }),
    });

  /** What a client gets of an answer. */
  async function post(app: Express, route: Route, body: object) {
    const { status, text, headers } = await request(app).post(route.path).send(body);
    const length = text.length;
    const hash = createHash('sha256').update(text).digest('hex');
    return {
      status,
      length,
      hash,
      etag: headers['etag'],
      type: headers['content-type'],
      cache: headers['cache-control'],
    };
  }

  async function outcomes(): Promise<Record<string, number>> {
    const { values } = (await registry.getSingleMetric('history_final_answers_total')?.get()) ?? { values: [] };
    return Object.fromEntries(values.map(({ labels, value }) => [labels['outcome'], value]));
  }

  describe.each(CASES)('of %s', (_, route, body) => {
    it('are kept when they are asked for again, and are then the same', async () => {
      const app = createApi(route);
      const made = await post(createApi(route, false), route, body);
      expect([made.status, made.cache]).toEqual([200, expect.stringContaining('immutable')]);
      for (const outcome of [{ miss: 1 }, { miss: 2 }, { miss: 2, hit: 1 }, { miss: 2, hit: 2 }]) {
        expect(await post(app, route, body)).toEqual(made);
        expect(await outcomes()).toMatchObject(outcome);
      }
    });

    it('are the same after everything was flushed, and while the key-value store fails, hangs or holds nonsense', async () => {
      const app = createApi(route);
      const made = await post(app, route, body);
      await post(app, route, body);
      await keyValue.close();
      expect(await post(app, route, body)).toEqual(made);
      for (const get of [
        () => Promise.reject(new Error('away')),
        () => new Promise<never>(() => undefined),
        ...['', 'x', '\n\n', '{"id":1}\n', 'null\n{}\n', '[]\n{}\n'].map((value) => () => Promise.resolve(value)),
      ]) {
        keyValue.get = get;
        keyValue.set = () => Promise.reject(new Error('away'));
        expect(await post(app, route, body)).toEqual(made);
      }
    });

    it('are no longer given when the store has another history', async () => {
      const app = createApi(route);
      for (let times = 0; times < 3; times++) await post(app, route, body);
      expect(await outcomes()).toMatchObject({ hit: 1, stale: 0 });
      for (const other of [
        { chainId: 'ff'.repeat(32) },
        { firstBlockNum: 2 },
        { committed: { num: BLOCK - 1, id: '' } },
        { lastIrreversible: { num: BLOCK - 1, id: '' } },
        { committed: undefined, lastIrreversible: undefined, firstBlockNum: undefined },
      ]) {
        reader.status = { ...status, ...other };
        expect(await post(app, route, body)).toEqual(await post(createApi(route, false), route, body));
      }
      expect(await outcomes()).toMatchObject({ hit: 1, stale: 5 });
    });

    it('are none while the store is away', async () => {
      const app = createApi(route);
      for (let times = 0; times < 3; times++) await post(app, route, body);
      const away = new HistoryError('STORE_UNAVAILABLE', 'away');
      const getStatus = jest.spyOn(reader, 'getStatus').mockRejectedValue(away);
      expect((await post(app, route, body)).status).toBe(503);
      getStatus.mockRestore();
    });
  });

  it('show how far the chain has become irreversible since', async () => {
    const app = createApi(ROUTES.getTransaction);
    const body = { id: TRANSACTION_ID };
    for (let times = 0; times < 3; times++) await post(app, ROUTES.getTransaction, body);
    reader.status = { ...reader.status, lastIrreversible: { num: 4_000_000_000, id: '' } };
    const kept = await post(app, ROUTES.getTransaction, body);
    expect(await outcomes()).toMatchObject({ hit: 2 });
    expect(kept).toEqual(await post(createApi(ROUTES.getTransaction, false), ROUTES.getTransaction, body));
  });

  it.each([
    ['that may still change', ROUTES.getChainBlock, { block_num_or_id: 505 }],
    ['of the latest block', ROUTES.getTraceBlock, { block_num: -1 }],
    ['of a prefix', ROUTES.getTransaction, { id: TRANSACTION_ID.slice(0, 20) }],
    ['that are refusals', ROUTES.getTransaction, { id: '0'.repeat(64) }],
    ['of accounts', ROUTES.getActions, { account_name: 'eosio' }],
  ])('are none %s', async (_, route, body) => {
    const set = jest.spyOn(keyValue, 'set');
    const app = createApi(route);
    for (let times = 0; times < 3; times++) await post(app, route, body);
    expect(set).not.toHaveBeenCalled();
  });

  it('are not kept when they are large', () => {
    const set = jest.spyOn(keyValue, 'set');
    const answers = new ResponseCache({ keyValue, reader, registry, app: 'test' });
    const keepTwice = (key: string, characters: number): void => {
      for (let times = 0; times < 2; times++) {
        const body = { text: 'x'.repeat(characters) };
        answers.keep(key, body, printJson(body), { id: 'id', blockNum: 1, status: reader.status });
      }
    };
    keepTwice('large', 128 * 1024);
    expect(set).not.toHaveBeenCalled();
    keepTwice('small', 127 * 1024);
    expect(set).toHaveBeenCalledTimes(1);
  });
});
