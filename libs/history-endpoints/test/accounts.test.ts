import { ApiClient, createApiDeps, openSampleReader, type SampleReader } from '@antelope-history/endpoint-testing';
import { COST_HEADER } from '@antelope-history/app-runtime';
import { HISTORY_ROUTES } from '@antelope-history/history-routes';
import { tooManyAccounts } from '@antelope-history/store';
import { type Authorization, readAuthorizers, sampleFolder } from '@antelope-history/test-support/recordings';
import { createHistoryApi } from '../src';

const client = new ApiClient(HISTORY_ROUTES);

let sample: SampleReader;
beforeAll(() => (sample = openSampleReader('leap-edge')));

describe('get_controlled_accounts and get_key_accounts', () => {
  const recorded = readAuthorizers(sampleFolder('leap-edge'));
  const namesOf = (authorizations: Authorization[]) =>
    [...new Set(authorizations.map(({ account_name }) => account_name))].sort();

  it('return what the node returned, for every actor', async () => {
    const app = createHistoryApi(createApiDeps(sample));
    for (const [controlling_account, authorizations] of Object.entries(recorded.accounts)) {
      const { body } = await client.post(app, HISTORY_ROUTES.getControlledAccounts, { controlling_account });
      // The node learns of permissions from actions, and a new schedule changes those of eosio.prods without one.
      const controlled = body.controlled_accounts.filter((name: string) => name !== 'eosio.prods');
      const expected = namesOf(authorizations).filter((name) => name !== 'eosio.prods');
      expect([controlling_account, controlled]).toEqual([controlling_account, expected]);
    }
  });

  it('show that the producers of the schedule, and not eosio, control eosio.prods', async () => {
    const app = createHistoryApi(createApiDeps(sample));
    const controlledBy = async (controlling_account: string) =>
      (await client.post(app, HISTORY_ROUTES.getControlledAccounts, { controlling_account })).body.controlled_accounts;
    expect(await controlledBy('prod.a')).toContain('eosio.prods');
    expect(await controlledBy('eosio')).not.toContain('eosio.prods');
  });

  it('return what the node returned, for every key in either spelling', async () => {
    const app = createHistoryApi(createApiDeps(sample));
    for (const [public_key, authorizations] of Object.entries(recorded.keys)) {
      const { body } = await client.post(app, HISTORY_ROUTES.getKeyAccounts, { public_key });
      expect([public_key, body]).toEqual([public_key, { account_names: namesOf(authorizations) }]);
    }
  });

  it('return [] for an unknown account or key', async () => {
    const app = createHistoryApi(createApiDeps(sample));
    const account = await client.post(app, HISTORY_ROUTES.getControlledAccounts, { controlling_account: 'nosuchacct' });
    expect(account.body).toEqual({ controlled_accounts: [] });
    const public_key = 'EOS12wkBET2rRgE8pahuaczxKbmv7ciehqsne57F9gtzf1PVYNMRa2';
    expect((await client.post(app, HISTORY_ROUTES.getKeyAccounts, { public_key })).body).toEqual({ account_names: [] });
  });

  describe('with more accounts than are read at once', () => {
    const public_key = 'EOS12wkBET2rRgE8pahuaczxKbmv7ciehqsne57F9gtzf1PVYNMRa2';
    const requests = [
      ['get_key_accounts', HISTORY_ROUTES.getKeyAccounts, { public_key }, 'account_names'],
      [
        'get_controlled_accounts',
        HISTORY_ROUTES.getControlledAccounts,
        { controlling_account: 'wallet' },
        'controlled_accounts',
      ],
    ] as const;
    const names = (count: number): string[] =>
      Array.from({ length: count }, (_, index) => `wallet${index.toString(5).padStart(6, '0').replaceAll('0', 'a')}`);

    /** A chain on which `count` accounts have every key and every controlling account. More than a million are never returned. */
    function withAccounts(count: number) {
      const accounts = count > 1_000_000 ? [] : names(count);
      const limits: (number | undefined)[] = [];
      const read = async (_: unknown, maxAccounts?: number) => {
        limits.push(maxAccounts);
        if (count > (maxAccounts ?? Infinity)) throw tooManyAccounts(maxAccounts ?? 0);
        return { status: await sample.getStatus(), accounts };
      };
      const reader = Object.assign(Object.create(sample) as SampleReader, {
        getKeyAccounts: read,
        getControlledAccounts: read,
      });
      const large = { entered: 0, left: 0 };
      const largeResponses = {
        enter: async () => {
          large.entered++;
        },
        leave: () => {
          large.left++;
        },
      };
      return { app: createHistoryApi({ ...createApiDeps(reader), largeResponses }), accounts, limits, large };
    }

    it.each(requests)('return the whole list to %s, as a large response', async (_, route, request, field) => {
      const { app, accounts, limits, large } = withAccounts(30_000);
      const { body, headers } = await client.post(app, route, request);
      expect((body as Record<string, string[]>)[field]).toEqual(accounts);
      expect(limits).toEqual([20_000, expect.any(Number)]);
      expect(large).toEqual({ entered: 1, left: 1 });
      expect(Number(headers[COST_HEADER])).toBeGreaterThan(1);
    });

    it.each(requests)('read a short list for %s once, as any other response', async (_, route, request, field) => {
      const { app, accounts, limits, large } = withAccounts(20_000);
      expect(((await client.post(app, route, request)).body as Record<string, string[]>)[field]).toEqual(accounts);
      expect([limits, large]).toEqual([[20_000], { entered: 0, left: 0 }]);
    });

    it.each(requests)('refuse %s a list that fits no response, and show no part of it', async (_, route, request) => {
      const { app, limits } = withAccounts(2_500_000);
      const refusal = await client.refusalOf(app, route, request);
      expect(refusal).toMatchObject({ status: 400, code: 0, name: 'too_many_accounts' });
      const [, most = 0] = limits;
      expect(most).toBeGreaterThan(2_000_000);
      expect(most * '"wallet123456",'.length).toBeLessThan(32 * 1024 * 1024);
      expect(refusal.detail).toContain(`more than ${most} accounts match`);
    });
  });

  it('refuse an invalid name and an invalid key', async () => {
    const app = createHistoryApi(createApiDeps(sample));
    const key = (public_key: unknown) => client.refusalOf(app, HISTORY_ROUTES.getKeyAccounts, { public_key });
    const notKey = { status: 400, code: 3010002, name: 'public_key_type_exception' };
    for (const text of ['EOS5', 'PUB_R1_5', 'key'])
      expect(await key(text)).toMatchObject({ ...notKey, detail: expect.stringMatching(/^public_key: /) });
    expect(await key(undefined)).toMatchObject({ status: 400, code: 3200006 });
    const name = await client.refusalOf(app, HISTORY_ROUTES.getControlledAccounts, {
      controlling_account: 'aaaaaaaaaaaaa',
    });
    expect(name).toMatchObject({ status: 400, code: 3010001, name: 'name_type_exception' });
  });
});
