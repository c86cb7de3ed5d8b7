import { createHash } from 'node:crypto';
import { CHAIN_ROUTES, type GetAbiResponse, type GetRawAbiResponse } from '@antelope-history/chain-routes';
import {
  ApiClient,
  createApiDeps,
  openSampleReader,
  readRecordedChain,
  type SampleReader,
} from '@antelope-history/endpoint-testing';
import type { HistoryReader } from '@antelope-history/store';
import { createChainApi } from '../src';

const client = new ApiClient(CHAIN_ROUTES);
const { getAbi, getRawAbi } = CHAIN_ROUTES;
const NO_CODE = '0'.repeat(64);
const HASH_OF_NOTHING = createHash('sha256').digest('hex');

let sample: SampleReader;
beforeAll(() => (sample = openSampleReader('leap-edge')));

/** The sample with some methods replaced. */
const changed = (methods: Partial<HistoryReader>): SampleReader =>
  Object.assign(Object.create(sample) as SampleReader, methods);
const abiOf = async (body: object, reader: HistoryReader = sample): Promise<GetAbiResponse> =>
  (await client.post(createChainApi(createApiDeps(reader)), getAbi, body)).body as GetAbiResponse;
const rawAbiOf = async (body: object, reader: HistoryReader = sample): Promise<GetRawAbiResponse> =>
  (await client.post(createChainApi(createApiDeps(reader)), getRawAbi, body)).body as GetRawAbiResponse;
const refusalOf = (route: typeof getAbi | typeof getRawAbi, body: object, reader: HistoryReader = sample) =>
  client.refusalOf(createChainApi(createApiDeps(reader)), route, body);

/** The block in which `upgrader` set its last ABI. */
function lastChange(): number {
  const blocks = [...readRecordedChain('leap-edge').blocks.values()];
  const last = blocks.findLast(({ abiChanges }) => abiChanges.some(({ account }) => account === 'upgrader'));
  return last?.position.num ?? 0;
}

describe('get_abi', () => {
  it('has the fields of the node in its order, and every list', async () => {
    const { abi } = await abiOf({ account_name: 'eosio.token' });
    expect(Object.keys(abi ?? {})).toEqual([
      ...['version', 'types', 'structs', 'actions', 'tables', 'ricardian_clauses', 'error_messages'],
      ...['abi_extensions', 'variants', 'action_results'],
    ]);
    expect(abi?.tables[0]).toEqual({
      name: 'accounts',
      index_type: 'i64',
      key_names: [],
      key_types: [],
      type: 'account',
    });
  });

  it('leaves out what EOSIO 2.0 does not know', async () => {
    const { abi } = await abiOf({ account_name: 'eosio.token' }, openSampleReader('eosio20-edge'));
    expect(Object.keys(abi ?? {})).toEqual(expect.arrayContaining(['variants']));
    expect(Object.keys(abi ?? {})).not.toEqual(expect.arrayContaining(['action_results']));
  });

  it('has no ABI for an account without one, and none of a later block', async () => {
    expect(await abiOf({ account_name: 'alice' })).toEqual({ account_name: 'alice' });
    expect(await abiOf({ account_name: 'eosio.token', block_num: 1 })).toEqual({ account_name: 'eosio.token' });
  });

  it('shows the ABI in force after a block', async () => {
    const at = lastChange();
    const [before, after, now] = [
      await abiOf({ account_name: 'upgrader', block_num: at - 1 }),
      await abiOf({ account_name: 'upgrader', block_num: String(at) }),
      await abiOf({ account_name: 'upgrader' }),
    ];
    expect(after).toEqual(now);
    expect(before).not.toEqual(now);
  });

  it('says so when the ABI does not decode, of whatever kind', async () => {
    const huge = Buffer.concat([Buffer.from([0, 0xff, 0xff, 0xff, 0x7f]), Buffer.alloc(64)]);
    for (const bytes of [Buffer.from('garbage that is no ABI'), huge]) {
      const reader = changed({
        getAbis: () => Promise.resolve({ status: sample.status, versions: [{ id: 'x', bytes }] }),
      });
      const refusal = await refusalOf(getAbi, { account_name: 'alice' }, reader);
      expect(refusal).toMatchObject({ status: 400, message: 'Account lookup', code: 3060002 });
      expect(refusal.detail).toContain('ask get_raw_abi');
      expect((await rawAbiOf({ account_name: 'alice' }, reader)).abi).toBe(bytes.toString('base64'));
    }
  });

  it('treats an ABI of up to four bytes as none, as the node does', async () => {
    const versions = [{ id: 'x', bytes: Buffer.alloc(4) }];
    const reader = changed({ getAbis: () => Promise.resolve({ status: sample.status, versions }) });
    expect(await abiOf({ account_name: 'alice' }, reader)).toEqual({ account_name: 'alice' });
  });
});

describe('get_raw_abi', () => {
  it('has the bytes that the contract set, their hash, and the hash of the code', async () => {
    const raw = await rawAbiOf({ account_name: 'eosio.token' });
    const bytes = Buffer.from(raw.abi ?? '', 'base64');
    expect(Object.keys(raw)).toEqual(['account_name', 'code_hash', 'abi_hash', 'abi']);
    expect(raw.abi_hash).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect([raw.code_hash?.length, raw.code_hash]).toEqual([64, expect.not.stringMatching(NO_CODE)]);
  });

  it('leaves out an ABI that the client has, in either case of its hash', async () => {
    const { abi: _abi, ...others } = await rawAbiOf({ account_name: 'game' });
    for (const abi_hash of [others.abi_hash, others.abi_hash.toUpperCase()]) {
      expect(await rawAbiOf({ account_name: 'game', abi_hash })).toEqual(others);
    }
    expect((await rawAbiOf({ account_name: 'game', abi_hash: NO_CODE })).abi).toBeDefined();
  });

  it('has an empty ABI and no code for other accounts', async () => {
    const body = { account_name: 'alice', code_hash: NO_CODE, abi_hash: HASH_OF_NOTHING, abi: '' };
    expect(await rawAbiOf({ account_name: 'alice' })).toEqual(body);
  });

  it('has the hash of the code in force after a block', async () => {
    const before = { code_hash: NO_CODE, abi_hash: HASH_OF_NOTHING, abi: '' };
    expect(await rawAbiOf({ account_name: 'game', block_num: 2 })).toEqual({ account_name: 'game', ...before });
  });

  it('has no code for an account that has cleared it', async () => {
    const { rows, ...page } = await sample.getActions(setcodesOf('game'));
    // After the account, the type and the version of the virtual machine: code of no bytes.
    const cleared = rows.map((row) => {
      const data = Buffer.concat([row.action.data.subarray(0, 10), Buffer.from([0])]);
      return { ...row, action: { ...row.action, data } };
    });
    const reader = changed({ getActions: () => Promise.resolve({ ...page, rows: cleared }) });
    expect((await rawAbiOf({ account_name: 'game' }, reader)).code_hash).toBe(NO_CODE);
  });

  it('leaves out the hash of code that may be older than the index', async () => {
    const reader = changed({});
    reader.status = { ...sample.status, firstBlockNum: 2 };
    expect(Object.keys(await rawAbiOf({ account_name: 'alice' }, reader))).toEqual(['account_name', 'abi_hash', 'abi']);
    expect((await rawAbiOf({ account_name: 'game' }, reader)).code_hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('does not take the code of another account that the account co-authorised', async () => {
    const own = await sample.getActions(setcodesOf('game'));
    const reader = changed({ getActions: () => Promise.resolve(own) });
    expect((await rawAbiOf({ account_name: 'alice' }, reader)).code_hash).toBe(NO_CODE);
    const further = changed({ getActions: () => Promise.resolve({ ...own, more: true }) });
    expect((await rawAbiOf({ account_name: 'alice' }, further)).code_hash).toBeUndefined();
  });

  it('reads again after a fork between its reads', async () => {
    let reads = 0;
    const reader = changed({
      getActions: async (query) => {
        const page = await sample.getActions(query);
        return reads++ === 0 ? { ...page, rows: [], status: { ...page.status, revision: 7 } } : page;
      },
    });
    expect(await rawAbiOf({ account_name: 'game' }, reader)).toEqual(await rawAbiOf({ account_name: 'game' }));
    const forking = changed({
      getActions: async (query) => ({ ...(await sample.getActions(query)), status: { ...sample.status, revision: 7 } }),
    });
    expect(await refusalOf(getRawAbi, { account_name: 'game' }, forking)).toMatchObject({ status: 503 });
  });
});

describe.each([getAbi, getRawAbi])('$endpoint', (route) => {
  it.each([
    [{}, 'account_name: give an account name as a string'],
    [{ account_name: 5 }, 'account_name: give an account name as a string'],
    [{ account: 'alice' }, 'write account_name'],
    [{ account_name: 'alice', block_num: -1 }, 'block_num: give an integer from 0'],
    [{ account_name: 'alice', block_num: 'head' }, 'block_num: give an integer from 0'],
    [{ account_name: 'alice', block_num_or_id: 5 }, 'write block_num'],
  ])('refuses %j', async (body, detail) => {
    const refusal = await refusalOf(route, body);
    expect(refusal).toMatchObject({ status: 400, name: 'invalid_http_request' });
    expect(refusal.detail).toContain(detail);
  });

  it.each(['ALICE', '', 'alice.', 'aaaaaaaaaaaaa'])('refuses the name %j', async (account_name) => {
    expect(await refusalOf(route, { account_name })).toMatchObject({ status: 400, code: 3010001 });
  });

  it('reports an unknown account with the error of the node', async () => {
    expect(await refusalOf(route, { account_name: 'nobody.here' })).toEqual({
      status: 400,
      message: 'Account lookup',
      code: 3060002,
      name: 'account_query_exception',
      detail: 'unable to retrieve account abi of nobody.here: the chain has no such account',
    });
  });

  it.each([0, 506])('reports the block %j, which is not indexed, as unknown', async (block_num) => {
    const refusal = await refusalOf(route, { account_name: 'eosio', block_num });
    expect(refusal).toMatchObject({ status: 400, name: 'unknown_block_exception' });
  });

  it('does not claim that an account has no ABI in an index without the state from before it', async () => {
    const reader = changed({
      hasAccount: (account) => Promise.resolve({ status: sample.status, exists: account !== 'eosio.null' }),
    });
    const refusal = await refusalOf(route, { account_name: 'alice' }, reader);
    expect(refusal).toMatchObject({ status: 400, name: 'account_query_exception' });
    expect(refusal.detail).toContain('the index begins without the state of the chain');
    expect((await client.post(createChainApi(createApiDeps(reader)), route, { account_name: 'game' })).status).toBe(
      200,
    );
  });

  it('responds 503 while no block is committed, and while the chain forks between its reads', async () => {
    const empty = changed({});
    empty.status = { ...sample.status, committed: undefined, firstBlockNum: undefined };
    expect(await refusalOf(route, { account_name: 'alice' }, empty)).toMatchObject({ status: 503 });
    let revision = 100;
    const forking = changed({
      hasAccount: () => Promise.resolve({ status: { ...sample.status, revision: revision++ }, exists: true }),
    });
    expect(await refusalOf(route, { account_name: 'alice' }, forking)).toMatchObject({ status: 503 });
  });
});

it('refuses an abi_hash that is no hash', async () => {
  const refusal = await refusalOf(getRawAbi, { account_name: 'alice', abi_hash: 'abc' });
  expect(refusal.detail).toContain('abi_hash: give a SHA-256 of 64 hex digits');
});

function setcodesOf(account: string) {
  return {
    account,
    filters: [{ account: 'eosio', name: 'setcode' }],
    data: [],
    after: undefined,
    before: undefined,
    parent: undefined,
    order: 'desc' as const,
    skip: 0,
    limit: 8,
    window: 'skip' as const,
  };
}
