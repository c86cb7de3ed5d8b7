import fc from 'fast-check';
import { type CheckUnknownFields, createUnknownFieldCheck } from '@antelope-history/endpoint-kit';
import { HISTORY_ROUTES } from '@antelope-history/history-routes';
import type { Route } from '@antelope-history/schemas';

const { getActions, getActionsByPosition, getTransaction, getKeyAccounts } = HISTORY_ROUTES;
const guardActions = createUnknownFieldCheck(getActions, 'guard');

const refusal = (check: CheckUnknownFields, body: Record<string, unknown>) => {
  try {
    check(body);
    return undefined;
  } catch (error) {
    expect(error).toMatchObject({ code: 'INVALID_REQUEST' });
    return (error as Error).message;
  }
};

describe('guard', () => {
  it.each([
    ['account', 'write account_name'],
    ['acount_name', 'write account_name'],
    ['accountName', 'write account_name'],
    ['postion', 'write pos'],
    ['Pos', 'write pos'],
    ['ofset', 'write offset'],
    ['filtre', 'write filter'],
    ['limit', 'write offset'],
    ['skip', 'write pos'],
    ['code', 'write filter as code:*'],
    ['act.account', 'write filter as code:*'],
    ['global_sequence', 'write parent'],
    ['notified', 'write account_name'],
    ['receipts.receiver', 'write account_name'],
    ['@timestamp', 'write after'],
    ['block_id', 'write the number of this block in both'],
    ['producer', 'remove it'],
    ['creator_action_ordinal', 'parent 0'],
    ['action_ordinal', 'remove it'],
    ['cpu_usage_us', 'remove it'],
    ['net_usage_words', 'remove it'],
    ['simple', 'remove it'],
    ['track', 'remove it'],
    ['transfer.To!', 'write a filter on action data as action.field'],
    ['eosio.token:transfer.to', 'write a filter on action data as action.field'],
  ])('refuses %s for get_actions and says what to change', (name, advice) => {
    const message = refusal(guardActions, { account_name: 'alice', [name]: 'bob' });
    expect(message).toMatch(`${name}: this endpoint has no such field; `);
    expect(message).toContain(advice);
  });

  it.each(['json', 'hex_data', 'traces', 'node', 'chain', 'client_id', 'api_key', 'a', '', '__proto__', 'constructor'])(
    'ignores %j, as nodes do',
    (name) => {
      expect(refusal(guardActions, { account_name: 'alice', ...JSON.parse(`{"${name}":1}`) })).toBeUndefined();
    },
  );

  it('leaves filters on action data to the endpoint that has them', () => {
    const guardTransaction = createUnknownFieldCheck(HISTORY_ROUTES.getTransaction, 'guard');
    expect(refusal(guardActions, { 'transfer.to': 'bob' })).toBeUndefined();
    expect(refusal(guardTransaction, { 'transfer.to': 'bob' })).toContain(
      'this endpoint does not filter by action data',
    );
  });

  it('treats null as absent', () => {
    expect(refusal(guardActions, { account: null, 'transfer.to': null })).toBeUndefined();
  });

  it('accepts every field of every endpoint', () => {
    for (const route of Object.values<Route>(HISTORY_ROUTES)) {
      const body = Object.fromEntries(Object.keys(route.request.shape).map((name) => [name, 1]));
      for (const mode of ['guard', 'refuse'] as const) {
        expect(refusal(createUnknownFieldCheck(route, mode), body)).toBeUndefined();
      }
    }
  });

  it('refuses one wrong letter in any name of three letters or more', () => {
    const names = Object.keys(getActions.request.shape);
    const letter = fc.constantFrom(...Array.from('abcdefghijklmnopqrstuvwxyz'));
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.nat(), letter, (name, at, wrong) => {
        const index = at % name.length;
        const misspelled = name.slice(0, index) + wrong + name.slice(index + 1);
        fc.pre(!names.includes(misspelled));
        expect(refusal(guardActions, { [misspelled]: 1 })).toContain(misspelled);
      }),
    );
  });

  it('refuses the same for positions of nodeos, where filters on action data do not exist', () => {
    const guardPositions = createUnknownFieldCheck(getActionsByPosition, 'guard');
    for (const name of [
      'account',
      'limit',
      'skip',
      'simple',
      'code',
      'track',
      'act.account',
      'global_sequence',
      'order',
    ])
      expect(refusal(guardPositions, { account_name: 'alice', [name]: 'bob' })).toMatch(
        `${name}: this endpoint has no`,
      );
    for (const name of ['transfer.to', 'to', 'from'])
      expect(refusal(guardPositions, { [name]: 'bob' })).not.toContain('a filter on action data');
    expect(refusal(guardPositions, { transfer: 1, json: true, 'transfer.to': null })).toBeUndefined();
  });

  it('knows the fields of each endpoint', () => {
    expect(refusal(createUnknownFieldCheck(getTransaction, 'guard'), { trx_id: 'a' })).toContain('write id');
    expect(refusal(createUnknownFieldCheck(getKeyAccounts, 'guard'), { limit: 5 })).toContain('the list is complete');
    expect(refusal(createUnknownFieldCheck(getKeyAccounts, 'guard'), { sort: 'asc' })).toBeUndefined();
  });
});

describe('any body', () => {
  const manyFields = (count: number, name: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}${index}`, 1]));

  it('has a bounded number of unknown fields, and a short refusal', () => {
    expect(refusal(guardActions, manyFields(64, 'extra'))).toBeUndefined();
    expect(refusal(guardActions, manyFields(65, 'extra'))).toBe('send at most 64 unknown fields');
    expect(refusal(guardActions, manyFields(64, `${'x'.repeat(900)}.`))?.length).toBeLessThan(1_000);
  });
});

describe('the other modes', () => {
  it('refuse refuses every unknown field, ignore none', () => {
    const refuse = createUnknownFieldCheck(getActions, 'refuse');
    expect(refusal(refuse, { json: true })).toBe('json: this endpoint has no such field; remove it');
    expect(refusal(refuse, { account: 'alice' })).toContain('write account_name');
    const ignore = createUnknownFieldCheck(getActions, 'ignore');
    expect(refusal(ignore, { account: 'alice', 'transfer.to': 'bob' })).toBeUndefined();
  });
});
