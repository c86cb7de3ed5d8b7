import {
  ApiClient,
  CachedApi,
  createApiDeps,
  openSampleReader,
  SAMPLE_NOW,
  type SampleReader,
} from '@antelope-history/endpoint-testing';
import { HISTORY_ROUTES } from '@antelope-history/history-routes';
import { createHistoryApi } from '../src';

const client = new ApiClient(HISTORY_ROUTES);

let sample: SampleReader;
beforeAll(() => (sample = openSampleReader('leap-edge')));

describe('get_actions', () => {
  const route = HISTORY_ROUTES.getActions;
  const actionsOf = async (body: unknown) => {
    const response = await client.post(createHistoryApi(createApiDeps(sample)), route, body);
    expect(response.status).toBe(200);
    return route.response.parse(response.body);
  };

  it('returns the newest 20 actions of the chain for an empty request', async () => {
    const { actions, more, head_block_num, last_irreversible_block } = await actionsOf({});
    expect([actions.length, more]).toEqual([20, true]);
    expect([head_block_num, last_irreversible_block]).toEqual([
      sample.status.head?.num,
      sample.status.lastIrreversible?.num,
    ]);
    const sequences = actions.map(({ global_action_seq }) => Number(global_action_seq));
    expect(sequences).toEqual([...sequences].sort((left, right) => right - left));
  });

  it('shows the receipt of the queried account, with decoded data', async () => {
    const [page] = [await actionsOf({ filter: 'eosio.token:transfer', offset: 1 })];
    const data = page.actions[0]?.action_trace.act.data as { to: string };
    const { actions } = await actionsOf({ account_name: data.to, filter: 'eosio.token:transfer', offset: 5 });
    expect(actions.every(({ action_trace }) => action_trace.receiver === data.to)).toBe(true);
    expect(actions[0]?.account_action_seq).toBe(actions[0]?.action_trace.receipt.recv_sequence);
  });

  it('applies pages, order and bounds', async () => {
    const first = await actionsOf({ account_name: 'eosio', offset: 5, sort: 'asc', after: 1 });
    const second = await actionsOf({ account_name: 'eosio', offset: '5', pos: '5', sort: 1, after: '1' });
    const both = await actionsOf({ account_name: 'eosio', offset: 10, sort: '1', after: 1 });
    expect([...first.actions, ...second.actions]).toEqual(both.actions);
    const block = await actionsOf({ after: 100, before: '100' });
    expect(new Set(block.actions.map(({ block_num }) => block_num))).toEqual(new Set([100]));
    expect((await actionsOf({ after: '2027-01-01', before: 5 })).actions).toEqual([]);
  });

  it('takes a filter on action data of null for none', async () => {
    expect(await actionsOf({ 'transfer.to': null })).toEqual(await actionsOf({}));
  });

  it('returns no actions for an unknown account', async () => {
    expect(await actionsOf({ account_name: 'nosuchacct' })).toMatchObject({ actions: [], more: false });
  });

  it('returns at most api.limits.get_actions rows', async () => {
    const app = createHistoryApi(createApiDeps(sample, { HISTORY_API__LIMITS__GET_ACTIONS: '7' }));
    expect((await client.post(app, route, { offset: 1000 })).body.actions).toHaveLength(7);
  });

  it('is never cached', async () => {
    const api = new CachedApi(createHistoryApi, route.path, sample);
    for (let times = 0; times < 3; times++) await api.post({ account_name: 'eosio' });
    expect(await api.outcomes()).toEqual({ hit: 0, miss: 0, stale: 0 });
  });

  it.each([{ sort: 'asc' }, { sort: 1 }, { sort: '1' }])('refuses %j without a bound', async (body) => {
    const app = createHistoryApi(createApiDeps(sample));
    expect(await client.refusalOf(app, route, body)).toMatchObject({ status: 400, name: 'asc_unbounded' });
  });

  it('applies the configured asc window to the millisecond', async () => {
    const app = createHistoryApi(createApiDeps(sample, { HISTORY_API__MAX_ASC_WINDOW_DAYS: '7' }));
    const body = (ms: number) => ({ sort: 'asc', after: new Date(SAMPLE_NOW - 7 * 86_400_000 + ms).toISOString() });
    expect(await client.refusalOf(app, route, body(-1))).toMatchObject({ status: 400, name: 'asc_window_exceeded' });
    expect((await client.post(app, route, body(0))).status).toBe(200);
    const off = createHistoryApi(createApiDeps(sample, { HISTORY_API__REQUIRE_BOUNDED_ASC: 'false' }));
    expect((await client.post(off, route, { sort: 'asc' })).status).toBe(200);
  });

  it.each([
    [{ account_name: 'ALICE' }, 3010001, 'account_name'],
    [{ account_name: '' }, 3010001, 'account_name'],
    [{ account_name: 5 }, 3200006, 'account_name'],
    [{ pos: -2 }, 3200006, 'pos'],
    [{ filter: '*:*' }, 3200006, 'filter'],
    [{ filter: 'eosio:*,X:*' }, 3010001, 'filter'],
    [{ after: 'yesterday' }, 3200006, 'after'],
    [[], 3200006, 'JSON object'],
  ])('refuses %j', async (body, code, detail) => {
    const refusal = await client.refusalOf(createHistoryApi(createApiDeps(sample)), route, body);
    expect(refusal).toMatchObject({ status: 400, message: 'Bad Request', code });
    expect(refusal.detail).toContain(detail);
  });
});
