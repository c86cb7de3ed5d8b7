import { ApiClient, createApiDeps, openSampleReader, type SampleReader } from '@antelope-history/endpoint-testing';
import { HISTORY_ROUTES } from '@antelope-history/history-routes';
import { HistoryError } from '@antelope-history/schemas';
import type { AccountTrace, AccountTracesQuery, SearchPause } from '@antelope-history/store';
import { createHistoryApi } from '../src';

const client = new ApiClient(HISTORY_ROUTES);
const route = HISTORY_ROUTES.getActionsByPosition;

let sample: SampleReader;
beforeAll(() => (sample = openSampleReader('eosio20-edge')));

describe('get_actions with positions of nodeos', () => {
  const responseTo = async (body: unknown, environment: Record<string, string> = {}) => {
    const response = await client.post(createHistoryApi(createApiDeps(sample, environment)), route, body);
    expect(response.status).toBe(200);
    return route.response.parse(response.body);
  };
  const positionsOf = ({ actions }: Awaited<ReturnType<typeof responseTo>>) =>
    actions.map(({ account_action_seq }) => account_action_seq);

  it('returns the newest 20 traces, ascending, with one field of its own', async () => {
    const response = await responseTo({ account_name: 'alice' });
    expect(Object.keys(response)).toEqual(['actions', 'last_irreversible_block', 'head_block_num']);
    const positions = positionsOf(response);
    const first = Number(positions[0]);
    expect(positions).toEqual(Array.from({ length: 20 }, (_, index) => first + index));
    expect(positionsOf(await responseTo({ account_name: 'alice', pos: 0, offset: 1000 })).at(-1)).toBe(
      positions.at(-1),
    );
  });

  it('shows a transfer once per receiver to the account that authorised it', async () => {
    const { actions } = await responseTo({ account_name: 'alice', pos: 0, offset: 1000 });
    const paid = ({ action_trace: { act } }: (typeof actions)[number]) =>
      act.name === 'transfer' && act.authorization.some(({ actor }) => actor === 'alice');
    const transfer = actions.find(paid);
    const traces = actions.filter(({ action_trace }) => action_trace.trx_id === transfer?.action_trace.trx_id);
    const receivers = traces.map(({ action_trace }) => action_trace.receiver);
    expect(receivers).toEqual(expect.arrayContaining(['eosio.token', 'alice']));
    expect(new Set(receivers).size).toBe(receivers.length);
  });

  it('includes both ends of the window', async () => {
    expect(positionsOf(await responseTo({ account_name: 'alice', pos: 5, offset: -3 }))).toEqual([2, 3, 4, 5]);
    expect(positionsOf(await responseTo({ account_name: 'alice', pos: '3', offset: '2' }))).toEqual([3, 4, 5]);
  });

  it('reads no account as one that has no traces', async () => {
    for (const body of [{}, { account_name: '' }, { account_name: 'nosuchacct' }]) {
      expect(await responseTo(body)).toEqual({
        actions: [],
        last_irreversible_block: sample.status.lastIrreversible?.num,
        head_block_num: sample.status.head?.num,
      });
    }
  });

  it('says that a list ends early at the limit of rows', async () => {
    const few = { HISTORY_API__LIMITS__GET_ACTIONS: '3' };
    const cut = await responseTo({ account_name: 'alice', pos: 0, offset: 10 }, few);
    expect(positionsOf(cut)).toEqual([0, 1, 2]);
    expect(cut.time_limit_exceeded_error).toBe(true);
    const whole = await responseTo({ account_name: 'alice', pos: 3, offset: 2 }, few);
    expect([positionsOf(whole), whole.time_limit_exceeded_error]).toEqual([[3, 4, 5], undefined]);
  });

  it('leaves out the rows of the window that the conditions do not meet, with their positions', async () => {
    const all = (await responseTo({ account_name: 'alice', pos: 0, offset: 999 })).actions;
    const middle = all[Math.floor(all.length / 2)]!.block_num;
    const transfers = all.filter(
      ({ action_trace: { act } }) => act.name === 'transfer' && act.account === 'eosio.token',
    );
    const cases: [object, (row: (typeof all)[number]) => boolean][] = [
      [{ filter: 'eosio.token:transfer' }, (row) => transfers.includes(row)],
      [{ after: middle }, ({ block_num }) => block_num >= middle],
      [
        { before: `${all[3]!.block_time}Z`, filter: '*:transfer,eosio:*' },
        ({ block_num }) => block_num <= all[3]!.block_num,
      ],
      [{ after: middle, before: middle }, ({ block_num }) => block_num === middle],
      [{ after: middle + 1, before: middle }, () => false],
    ];
    for (const [conditions, isMeeting] of cases) {
      const expected = all.filter(isMeeting).filter(({ action_trace: { act } }) => {
        return !('filter' in conditions) || act.name === 'transfer' || act.account === 'eosio';
      });
      for (const sort of ['asc', 'desc']) {
        const response = await responseTo({ account_name: 'alice', pos: 0, offset: 999, sort, ...conditions });
        expect(response.actions).toEqual(sort === 'asc' ? expected : [...expected].reverse());
      }
    }
    expect(transfers.length).toBeGreaterThan(0);
    expect(transfers.length).toBeLessThan(all.length);
  });

  it('selects by the creator of an action, its notifications included', async () => {
    const all = (await responseTo({ account_name: 'alice', pos: 0, offset: 999 })).actions;
    const roots = (await responseTo({ account_name: 'alice', pos: 0, offset: 999, parent: 0 })).actions;
    expect(roots.length).toBeGreaterThan(0);
    const isOwn = ({ action_trace: { receiver, act } }: (typeof all)[number]) => receiver === act.account;
    expect(roots.filter(isOwn).every(({ action_trace }) => action_trace.creator_action_ordinal === 0)).toBe(true);
    expect(roots.filter(isOwn)).toEqual(
      all.filter((row) => isOwn(row) && row.action_trace.creator_action_ordinal === 0),
    );
  });

  it('refuses conditions on more positions than a page has rows, and cuts a descending page at its oldest rows', async () => {
    const few = { HISTORY_API__LIMITS__GET_ACTIONS: '3' };
    const cut = await responseTo({ account_name: 'alice', pos: 0, offset: 10, sort: -1 }, few);
    expect([positionsOf(cut), cut.time_limit_exceeded_error]).toEqual([[10, 9, 8], true]);
    const { status, body } = await client.post(createHistoryApi(createApiDeps(sample, few)), route, {
      account_name: 'alice',
      pos: 0,
      offset: 10,
      filter: '*:transfer',
    });
    expect([status, body.error.details[0].message]).toEqual([400, expect.stringContaining('at most 3 positions')]);
  });

  it('costs what a long read takes', async () => {
    const reader = Object.assign(Object.create(sample) as SampleReader, {
      async getAccountTraces(_: AccountTracesQuery, pause: SearchPause) {
        await pause(200_000);
        return { status: sample.status, rows: [], more: false };
      },
    });
    const { headers } = await client.post(createHistoryApi(createApiDeps(reader)), route, { account_name: 'alice' });
    expect(headers['x-request-cost']).toBe('4');
  });

  it('costs what it leaves out, also where it is refused', async () => {
    const many = 1_000;
    const window = { account_name: 'alice', pos: 0, offset: many - 1 };
    const costOf = async (body: object, getRows: (last: number) => Promise<AccountTrace[]>) => {
      const reader = Object.assign(Object.create(sample) as SampleReader, {
        async getAccountTraces({ select }: AccountTracesQuery) {
          return { status: sample.status, rows: await getRows(select(many, 0).last), more: false };
        },
      });
      const { headers } = await client.post(createHistoryApi(createApiDeps(reader)), route, { ...window, ...body });
      return Number(headers['x-request-cost']);
    };
    const none = () => Promise.resolve([]);
    const refused = () => Promise.reject(new HistoryError('QUERY_TOO_BROAD', 'too large'));
    expect(await costOf({ filter: 'never:never' }, none)).toBe(4);
    expect(await costOf({ filter: 'never:never' }, refused)).toBe(4);
    expect(await costOf({ sort: 'desc' }, refused)).toBe(4);
    expect(await costOf({ filter: 'never:never', offset: 10 }, none)).toBe(1);
    const { rows } = await sample.getAccountTraces({ account: 'alice', select: () => ({ first: 3, last: 3 }) });
    expect(await costOf({ offset: 0, pos: 3 }, () => Promise.resolve(rows))).toBe(1);
  });

  it('counts only positions whose blocks are not removed', async () => {
    const kept = 5;
    const shortened = Object.assign(Object.create(sample) as SampleReader, {
      async getAccountTraces(query: AccountTracesQuery) {
        const page = await sample.getAccountTraces({ ...query, select: (count) => query.select(count, kept) });
        return { ...page, rows: page.rows.filter(({ position }) => position >= kept) };
      },
    });
    const api = createHistoryApi(createApiDeps(shortened, { HISTORY_API__LIMITS__GET_ACTIONS: '3' }));
    const pageOf = async (body: object) => {
      const response = await client.post(api, route, { account_name: 'alice', pos: 0, ...body });
      expect(response.status).toBe(200);
      return route.response.parse(response.body);
    };
    const cut = await pageOf({ offset: 999 });
    expect([positionsOf(cut), cut.time_limit_exceeded_error]).toEqual([[5, 6, 7], true]);
    const whole = await pageOf({ offset: 7, after: 1 });
    expect([positionsOf(whole), whole.time_limit_exceeded_error]).toEqual([[5, 6, 7], undefined]);
    expect(positionsOf(await pageOf({ offset: 4 }))).toEqual([]);
  });

  it.each([
    [{ account_name: 'alice', filter: 'transfer' }, 'filter'],
    [{ account_name: 'alice', sort: 'up' }, 'sort'],
    [{ account_name: 'alice', after: 'soon' }, 'after'],
    [{ account_name: 'alice', parent: -1 }, 'parent'],
    [{ account_name: 'alice', 'transfer.to': 'bob' }, 'transfer.to'],
    [{ account_name: 'alice', pos: 2 ** 31 }, 'pos'],
    [{ account_name: 'alice', offset: 1.5 }, 'offset'],
    [{ account_name: 'Alice' }, 'account_name'],
  ])('refuses %j', async (body, field) => {
    const { status, body: error } = await client.post(createHistoryApi(createApiDeps(sample)), route, body);
    expect([status, error.error.details[0].message]).toEqual([400, expect.stringContaining(field)]);
  });

  it('says when a store has no positions', async () => {
    const older = Object.create(sample) as SampleReader;
    older.getAccountTraces = () => Promise.reject(new HistoryError('POSITIONS_NOT_STORED', 'an earlier version'));
    const { status, body } = await client.post(createHistoryApi(createApiDeps(older)), route, {
      account_name: 'alice',
    });
    expect([status, body.error.name]).toEqual([501, 'positions_not_stored']);
  });
});
