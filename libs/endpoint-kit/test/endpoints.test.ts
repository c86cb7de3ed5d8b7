import type { Express } from 'express';
import request from 'supertest';
import { createAnswerCheck } from '@antelope-history/openapi-check';
import {
  type Authorization,
  readAuthorizers,
  readChainBlocks,
  readTraceBlocks,
  sampleFolder,
} from '@antelope-history/recordings';
import { ROUTES } from '@antelope-history/routes';
import { errorResponse, healthResponse, HistoryError } from '@antelope-history/schemas';
import { type Config, createLogger, loadConfig, Registry } from '@antelope-history/service';
import type { HistoryReader } from '@antelope-history/store';
import { createChainApi, createHistoryApi, createTraceApi } from '../src';
import { SampleReader } from './sample-reader';

const NOW = Date.parse('2026-11-21T04:00:00Z');
const FOREVER = 'public, max-age=31536000, immutable';

describe('the query APIs', () => {
  let sample: SampleReader;
  beforeAll(() => (sample = new SampleReader('leap-edge')));

  function depsOf(reader: HistoryReader = sample, environment: NodeJS.ProcessEnv = {}) {
    const config: Config['api'] = loadConfig([], environment).api;
    return { reader, config, log: createLogger('test', 'silent'), registry: new Registry(), now: () => NOW };
  }

  const checkAnswer = createAnswerCheck(ROUTES);
  /** Whatever it answers is what the OpenAPI document says. */
  const post = async (app: Express, { path }: { path: string }, body: unknown) => {
    const response = await request(app)
      .post(path)
      .send(body as object);
    const { status, headers, text } = response;
    const violations = checkAnswer({ method: 'POST', path, status, contentType: headers['content-type'], body: text });
    expect([body, violations]).toEqual([body, []]);
    return response;
  };

  /** A refusal: status, the error's code and name, and what its details say. */
  async function refusalOf(app: Express, route: { path: string }, body: unknown) {
    const response = await post(app, route, body);
    const { code, message, error } = errorResponse.parse(response.body);
    expect(code).toBe(response.status);
    return { status: code, message, code: error.code, name: error.name, detail: error.details[0]?.message };
  }

  describe('get_actions', () => {
    const route = ROUTES.getActions;
    const actionsOf = async (body: unknown) => {
      const response = await post(createHistoryApi(depsOf()), route, body);
      expect(response.status).toBe(200);
      return route.response.parse(response.body);
    };

    it('answers the newest 20 actions of the chain when nothing is asked', async () => {
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

    it('pages, orders and bounds as asked', async () => {
      const first = await actionsOf({ account_name: 'eosio', offset: 5, sort: 'asc', after: 1 });
      const second = await actionsOf({ account_name: 'eosio', offset: '5', pos: '5', sort: 1, after: '1' });
      const both = await actionsOf({ account_name: 'eosio', offset: 10, sort: '1', after: 1 });
      expect([...first.actions, ...second.actions]).toEqual(both.actions);
      const block = await actionsOf({ after: 100, before: '100' });
      expect(new Set(block.actions.map(({ block_num }) => block_num))).toEqual(new Set([100]));
      expect((await actionsOf({ after: '2027-01-01', before: 5 })).actions).toEqual([]);
    });

    it('knows no actions of accounts that do not exist', async () => {
      expect(await actionsOf({ account_name: 'nosuchacct' })).toMatchObject({ actions: [], more: false });
    });

    it('gives at most api.limits.get_actions', async () => {
      const app = createHistoryApi(depsOf(sample, { HISTORY_API__LIMITS__GET_ACTIONS: '7' }));
      expect((await post(app, route, { offset: 1000 })).body.actions).toHaveLength(7);
    });

    it.each([{ sort: 'asc' }, { sort: 1 }, { sort: '1' }])('refuses %j without a bound', async (body) => {
      const app = createHistoryApi(depsOf());
      expect(await refusalOf(app, route, body)).toMatchObject({ status: 400, name: 'asc_unbounded' });
    });

    it('draws the ascending window at the millisecond, by the configured days', async () => {
      const app = createHistoryApi(depsOf(sample, { HISTORY_API__MAX_ASC_WINDOW_DAYS: '7' }));
      const body = (ms: number) => ({ sort: 'asc', after: new Date(NOW - 7 * 86_400_000 + ms).toISOString() });
      expect(await refusalOf(app, route, body(-1))).toMatchObject({ status: 400, name: 'asc_window_exceeded' });
      expect((await post(app, route, body(0))).status).toBe(200);
      const off = createHistoryApi(depsOf(sample, { HISTORY_API__REQUIRE_BOUNDED_ASC: 'false' }));
      expect((await post(off, route, { sort: 'asc' })).status).toBe(200);
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
      const refusal = await refusalOf(createHistoryApi(depsOf()), route, body);
      expect(refusal).toMatchObject({ status: 400, message: 'Bad Request', code });
      expect(refusal.detail).toContain(detail);
    });
  });

  describe('get_controlled_accounts and get_key_accounts', () => {
    const recorded = readAuthorizers(sampleFolder('leap-edge'));
    const namesOf = (authorizations: Authorization[]) =>
      [...new Set(authorizations.map(({ account_name }) => account_name))].sort();

    it('answer for every actor what the node answered', async () => {
      const app = createHistoryApi(depsOf());
      for (const [controlling_account, authorizations] of Object.entries(recorded.accounts)) {
        const { body } = await post(app, ROUTES.getControlledAccounts, { controlling_account });
        // The node learns of permissions from actions, and a new schedule changes those of eosio.prods without one.
        const controlled = body.controlled_accounts.filter((name: string) => name !== 'eosio.prods');
        const expected = namesOf(authorizations).filter((name) => name !== 'eosio.prods');
        expect([controlling_account, controlled]).toEqual([controlling_account, expected]);
      }
    });

    it('know that the producers of the schedule control eosio.prods, and eosio no longer', async () => {
      const app = createHistoryApi(depsOf());
      const controlledBy = async (controlling_account: string) =>
        (await post(app, ROUTES.getControlledAccounts, { controlling_account })).body.controlled_accounts;
      expect(await controlledBy('prod.a')).toContain('eosio.prods');
      expect(await controlledBy('eosio')).not.toContain('eosio.prods');
    });

    it('answer for every key, in either spelling, what the node answered', async () => {
      const app = createHistoryApi(depsOf());
      for (const [public_key, authorizations] of Object.entries(recorded.keys)) {
        const { body } = await post(app, ROUTES.getKeyAccounts, { public_key });
        expect([public_key, body]).toEqual([public_key, { account_names: namesOf(authorizations) }]);
      }
    });

    it('answer [] for those that do not exist', async () => {
      const app = createHistoryApi(depsOf());
      const account = await post(app, ROUTES.getControlledAccounts, { controlling_account: 'nosuchacct' });
      expect(account.body).toEqual({ controlled_accounts: [] });
      const public_key = 'EOS12wkBET2rRgE8pahuaczxKbmv7ciehqsne57F9gtzf1PVYNMRa2';
      expect((await post(app, ROUTES.getKeyAccounts, { public_key })).body).toEqual({ account_names: [] });
    });

    it('refuse what is no name and no key', async () => {
      const app = createHistoryApi(depsOf());
      const key = (public_key: unknown) => refusalOf(app, ROUTES.getKeyAccounts, { public_key });
      expect(await key('EOS5')).toMatchObject({ status: 400, code: 3010002, name: 'public_key_type_exception' });
      expect(await key(undefined)).toMatchObject({ status: 400, code: 3200006 });
      const name = await refusalOf(app, ROUTES.getControlledAccounts, { controlling_account: 'aaaaaaaaaaaaa' });
      expect(name).toMatchObject({ status: 400, code: 3010001, name: 'name_type_exception' });
    });
  });

  describe('get_transaction', () => {
    const route = ROUTES.getTransaction;
    const idAt = async (blockNum: number) => {
      const { transactions } = await sample.getBlockTraces({ num: blockNum });
      return transactions[0]?.record.id.toString('hex') ?? '';
    };

    it('finds a transaction by its id or a prefix, in either case, hint or not', async () => {
      const app = createHistoryApi(depsOf());
      const id = await idAt(100);
      const whole = await post(app, route, { id, block_num_hint: null });
      expect(route.response.parse(whole.body)).toMatchObject({ id, block_num: 100 });
      for (const body of [{ id: id.toUpperCase() }, { id: id.slice(0, 16), block_num_hint: '3' }]) {
        expect((await post(app, route, body)).body).toEqual(whole.body);
      }
    });

    it('may be cached for ever when it is irreversible and named by its whole id', async () => {
      const app = createHistoryApi(depsOf());
      const id = await idAt(100);
      expect((await post(app, route, { id })).headers).toMatchObject({ etag: `W/"${id}"`, 'cache-control': FOREVER });
      const prefix = await post(app, route, { id: id.slice(0, 20) });
      expect([prefix.headers['etag'], prefix.headers['cache-control']]).toEqual([undefined, undefined]);
      const young = await post(app, route, { id: await idAt(sample.status.committed?.num ?? 0) });
      expect([young.status, young.headers['etag']]).toEqual([200, undefined]);
    });

    it.each(['1234567', 'z'.repeat(64), '0'.repeat(65), '', '0x12345678', ' 12345678'])(
      'refuses the id %j',
      async (id) => {
        const refusal = await refusalOf(createHistoryApi(depsOf()), route, { id });
        expect(refusal).toMatchObject({ status: 400, code: 3010009, name: 'transaction_id_type_exception' });
      },
    );

    it('says when none or several are found', async () => {
      const none = await refusalOf(createHistoryApi(depsOf()), route, { id: '0'.repeat(64) });
      expect(none).toMatchObject({ status: 404, code: 3040011, name: 'tx_not_found', message: 'Not Found' });
      const several = Object.create(sample) as HistoryReader;
      several.getTransaction = async () => ({ found: 'several', status: sample.status });
      const refusal = await refusalOf(createHistoryApi(depsOf(several)), route, { id: '00000000' });
      expect(refusal).toMatchObject({
        status: 400,
        code: 3010009,
        detail: expect.stringContaining('several transactions'),
      });
    });
  });

  describe('chain get_block', () => {
    const route = ROUTES.getChainBlock;

    it('answers as the node did, by number and by id', async () => {
      const app = createChainApi(depsOf());
      const recorded = [...readChainBlocks(sampleFolder('leap-edge'))].find(({ blockNum }) => blockNum === 100);
      const byNumber = await post(app, route, { block_num_or_id: '100' });
      expect(byNumber.text).toEqual(recorded?.body);
      expect(byNumber.headers).toMatchObject({ etag: `W/"${byNumber.body.id}"`, 'cache-control': FOREVER });
      for (const block_num_or_id of [100, byNumber.body.id, byNumber.body.id.toUpperCase()]) {
        expect((await post(app, route, { block_num_or_id })).text).toBe(byNumber.text);
      }
    });

    it('refuses with the codes of the node', async () => {
      const app = createChainApi(depsOf());
      const recorded = readAuthorizers(sampleFolder('leap-edge')).errors.filter(({ path }) => path === route.path);
      const refused = recorded.filter(({ status }) => status !== 200);
      expect(refused.length).toBeGreaterThan(5);
      for (const { request: body, ...answer } of refused) {
        const { code, name } = errorResponse.parse(answer.body).error;
        expect([body, await refusalOf(app, route, body)]).toEqual([body, expect.objectContaining({ code, name })]);
      }
    });

    it('lets no one cache a block that may be orphaned: those after the last irreversible one', async () => {
      const app = createChainApi(depsOf());
      const last = sample.status.lastIrreversible?.num ?? 0;
      const cacheControlOf = async (block_num_or_id: number) =>
        (await post(app, route, { block_num_or_id })).headers['cache-control'];
      expect([await cacheControlOf(last), await cacheControlOf(last + 1)]).toEqual([FOREVER, undefined]);
    });

    it.each(['0', '-1', -1, 99999999, '9'.repeat(20), 'f'.repeat(64)])(
      'does not know the block %j',
      async (block_num_or_id) => {
        expect(await refusalOf(createChainApi(depsOf()), route, { block_num_or_id })).toMatchObject({
          status: 400,
          message: 'Unknown Block',
          code: 3100002,
          name: 'unknown_block_exception',
          detail: `Could not find block: ${block_num_or_id}`,
        });
      },
    );

    it.each(['', 'abc', '1.5', 1.5])('refuses %j', async (block_num_or_id) => {
      const refusal = await refusalOf(createChainApi(depsOf()), route, { block_num_or_id });
      expect(refusal).toMatchObject({ status: 400, code: 3010008, name: 'block_id_type_exception' });
    });
  });

  describe('trace_api get_block', () => {
    const route = ROUTES.getTraceBlock;

    it('answers by number and by id, which decides', async () => {
      const app = createTraceApi(depsOf());
      const recorded = [...readTraceBlocks(sampleFolder('leap-edge'))].find(({ blockNum }) => blockNum === 100);
      const byNumber = await post(app, route, { block_num: 100 });
      expect(byNumber.body).toMatchObject({
        id: (JSON.parse(recorded?.body ?? '') as { id: string }).id,
        number: 100,
        status: 'irreversible',
      });
      expect(byNumber.headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'cache-control': FOREVER,
      });
      const { id } = byNumber.body;
      for (const body of [
        { block_id: id },
        { block_id: id.toUpperCase(), block_num: 5 },
        { block_id: id, block_num: -7 },
      ]) {
        expect((await post(app, route, body)).text).toBe(byNumber.text);
      }
    });

    it('takes -1 as the newest committed block, which changes', async () => {
      const response = await post(createTraceApi(depsOf()), route, { block_num: '-1' });
      expect(response.body).toMatchObject({ number: sample.status.committed?.num, status: 'pending' });
      expect(response.headers['etag']).toBeUndefined();
    });

    it('answers 404 for a block that is not there', async () => {
      const refusal = await refusalOf(createTraceApi(depsOf()), route, { block_num: 99999999 });
      expect(refusal).toMatchObject({ status: 404, code: 0, name: 'block_trace_missing' });
    });

    it.each([
      {},
      { block_num: null },
      { block_num: -2 },
      { block_num: 2 ** 32 },
      { block_id: 'abc' },
      { block_id: '' },
    ])('refuses %j', async (body) => {
      const refusal = await refusalOf(createTraceApi(depsOf()), route, body);
      expect(refusal).toMatchObject({ status: 400, code: 3010008 });
    });
  });

  describe('when the store is away', () => {
    function brokenReader(): HistoryReader {
      const reject = () => Promise.reject(new HistoryError('STORE_UNAVAILABLE', '/var/data is not mounted'));
      const reader = Object.create(sample) as HistoryReader;
      return Object.assign(reader, { getStatus: reject, getActions: reject, getBlock: reject });
    }

    it('answers 503 with Retry-After, and nothing of the inside', async () => {
      const response = await post(createHistoryApi(depsOf(brokenReader())), ROUTES.getActions, {});
      expect([response.status, response.headers['retry-after'], response.body.error.name]).toEqual([
        503,
        '5',
        'unavailable',
      ]);
      expect(response.text).not.toContain('/var/data');
    });

    it('is down in /health', async () => {
      const response = await request(createChainApi(depsOf(brokenReader()))).get('/health');
      expect([response.status, response.body.status, response.body.components]).toEqual([
        503,
        'down',
        { store: { status: 'down' } },
      ]);
    });

    it('still shows its metrics', async () => {
      const response = await request(createChainApi(depsOf(brokenReader()))).get('/metrics');
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
      return healthResponse.parse((await request(createHistoryApi(depsOf(reader))).get('/health')).body);
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

    it('shows where the chain stands', async () => {
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
