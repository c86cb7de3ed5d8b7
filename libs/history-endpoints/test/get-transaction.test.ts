import {
  ApiClient,
  CachedApi,
  createApiDeps,
  describeResponseCache,
  FINAL_CACHE_CONTROL,
  findFinalBlock,
  openSampleReader,
  type SampleReader,
} from '@antelope-history/endpoint-testing';
import { HISTORY_ROUTES } from '@antelope-history/history-routes';
import type { HistoryReader, SearchPause } from '@antelope-history/store';
import { createHistoryApi } from '../src';

const client = new ApiClient(HISTORY_ROUTES);

let sample: SampleReader;
beforeAll(() => (sample = openSampleReader('leap-edge')));

describe('get_transaction', () => {
  const route = HISTORY_ROUTES.getTransaction;
  const idAt = async (blockNum: number) => {
    const { transactions } = await sample.getBlockTraces({ num: blockNum });
    return transactions[0]?.record.id.toString('hex') ?? '';
  };

  it('finds a transaction by its id or a prefix, in either case, with and without a hint', async () => {
    const app = createHistoryApi(createApiDeps(sample));
    const id = await idAt(100);
    const whole = await client.post(app, route, { id, block_num_hint: null });
    expect(route.response.parse(whole.body)).toMatchObject({ id, block_num: 100 });
    for (const body of [{ id: id.toUpperCase() }, { id: id.slice(0, 16), block_num_hint: '3' }]) {
      expect((await client.post(app, route, body)).body).toEqual(whole.body);
    }
  });

  it('counts a long read in its cost, as a large response', async () => {
    const largeResponses = { enter: jest.fn(() => Promise.resolve()), leave: () => undefined };
    const reader = Object.assign(Object.create(sample) as SampleReader, {
      async getTransaction(id: string, _: number | undefined, pause: SearchPause) {
        await pause(300_000);
        expect(largeResponses.enter).toHaveBeenCalledTimes(1);
        return sample.getTransaction(id);
      },
    });
    const app = createHistoryApi({ ...createApiDeps(reader), largeResponses });
    const { status, headers } = await client.post(app, route, { id: await idAt(100) });
    expect([status, headers['x-request-cost']]).toEqual([200, '5']);
  });

  it.each([
    ['delayed', 'c0719b9a5441451858e1b3511ce90fb4bd77ef06044a8f281bbc7d451b547aa5', 255],
    ['soft_fail', 'd86055ea8b5718edca6f162dd42408fef3d1d5075f90f975333019572afb66e4', 230],
  ])('does not find a transaction that the block lists only as %s, also with a hint', async (_status, id, hint) => {
    const app = createHistoryApi(createApiDeps(sample));
    for (const block_num_hint of [null, hint]) {
      expect(await client.refusalOf(app, route, { id, block_num_hint })).toMatchObject({ status: 404, code: 3040011 });
    }
  });

  it('passes the hint to the store', async () => {
    const hinted = Object.create(sample) as HistoryReader;
    const hints: unknown[] = [];
    hinted.getTransaction = (id, hint) => (hints.push(hint), sample.getTransaction(id));
    const id = await idAt(100);
    for (const block_num_hint of [undefined, 100, '7']) {
      await client.post(createHistoryApi(createApiDeps(hinted)), route, { id, block_num_hint });
    }
    expect(hints).toEqual([undefined, 100, 7]);
  });

  it('is final if the transaction is irreversible and requested by its whole id', async () => {
    const app = createHistoryApi(createApiDeps(sample));
    const id = await idAt(100);
    expect((await client.post(app, route, { id })).headers).toMatchObject({
      etag: `W/"${id}"`,
      'cache-control': FINAL_CACHE_CONTROL,
    });
    const prefix = await client.post(app, route, { id: id.slice(0, 20) });
    expect([prefix.headers['etag'], prefix.headers['cache-control']]).toEqual([undefined, undefined]);
    const young = await client.post(app, route, { id: await idAt(sample.status.committed?.num ?? 0) });
    expect([young.status, young.headers['etag']]).toEqual([200, undefined]);
  });

  it('is not final with the hint of a block to come, which can have another transaction of the same id', async () => {
    const app = createHistoryApi(createApiDeps(sample));
    const id = await idAt(100);
    const etagOf = async (block_num_hint: number) =>
      (await client.post(app, route, { id, block_num_hint })).headers['etag'];
    expect(await etagOf(sample.status.lastIrreversible?.num ?? 0)).toBe(`W/"${id}"`);
    expect(await etagOf((sample.status.lastIrreversible?.num ?? 0) + 1)).toBeUndefined();
  });

  it('is not final with the hint of an irreversible block that is not committed yet', async () => {
    const status = { ...sample.status, committed: { num: 150, id: '0'.repeat(64) } };
    const id = await idAt(100);
    const behind = Object.create(sample) as HistoryReader;
    behind.getTransaction = async () => ({ ...(await sample.getTransaction(id)), status });
    const app = createHistoryApi(createApiDeps(behind));
    const etagOf = async (block_num_hint: number) =>
      (await client.post(app, route, { id, block_num_hint })).headers['etag'];
    expect([await etagOf(150), await etagOf(151)]).toEqual([`W/"${id}"`, undefined]);
  });

  it.each(['1234567', 'z'.repeat(64), '0'.repeat(65), '', '0x12345678', ' 12345678'])(
    'refuses the id %j',
    async (id) => {
      const refusal = await client.refusalOf(createHistoryApi(createApiDeps(sample)), route, { id });
      expect(refusal).toMatchObject({ status: 400, code: 3010009, name: 'transaction_id_type_exception' });
    },
  );

  it('reports that no or several transactions match', async () => {
    const none = await client.refusalOf(createHistoryApi(createApiDeps(sample)), route, { id: '0'.repeat(64) });
    expect(none).toMatchObject({ status: 404, code: 3040011, name: 'tx_not_found', message: 'Not Found' });
    const several = Object.create(sample) as HistoryReader;
    several.getTransaction = async () => ({ found: 'several', status: sample.status });
    const refusal = await client.refusalOf(createHistoryApi(createApiDeps(several)), route, { id: '00000000' });
    expect(refusal).toMatchObject({
      status: 400,
      code: 3010009,
      detail: expect.stringContaining('several transactions'),
    });
  });
});

describe('get_transaction', () => {
  const { path } = HISTORY_ROUTES.getTransaction;
  const { blockNum, transactionId: id } = findFinalBlock();
  describeResponseCache({
    createApi: createHistoryApi,
    path,
    finalRequest: { id },
    blockNum,
    otherRequests: { 'to a prefix': { id: id.slice(0, 20) }, 'that is an error': { id: '0'.repeat(64) } },
  });

  it('shows the current last irreversible block in a cached response', async () => {
    const api = new CachedApi(createHistoryApi, path, sample);
    for (let times = 0; times < 3; times++) await api.post({ id });
    api.reader.status = { ...api.reader.status, lastIrreversible: { num: 4_000_000_000, id: '' } };
    const cached = await api.post({ id });
    expect(await api.outcomes()).toMatchObject({ hit: 2 });
    expect(cached).toEqual(await api.postUncached({ id }));
  });
});
