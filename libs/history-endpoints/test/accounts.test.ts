import { ApiClient, createApiDeps, openSampleReader, type SampleReader } from '@antelope-history/endpoint-testing';
import { HISTORY_ROUTES } from '@antelope-history/history-routes';
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

  it('refuse an invalid name and an invalid key', async () => {
    const app = createHistoryApi(createApiDeps(sample));
    const key = (public_key: unknown) => client.refusalOf(app, HISTORY_ROUTES.getKeyAccounts, { public_key });
    expect(await key('EOS5')).toMatchObject({ status: 400, code: 3010002, name: 'public_key_type_exception' });
    expect(await key(undefined)).toMatchObject({ status: 400, code: 3200006 });
    const name = await client.refusalOf(app, HISTORY_ROUTES.getControlledAccounts, {
      controlling_account: 'aaaaaaaaaaaaa',
    });
    expect(name).toMatchObject({ status: 400, code: 3010001, name: 'name_type_exception' });
  });
});
