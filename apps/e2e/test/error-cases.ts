import { ROUTES } from '@antelope-history/routes';
import type { ErrorResponse, Route } from '@antelope-history/schemas';
import { readAuthorizers, sampleFolder } from '@antelope-history/test-support/recordings';
import { CheckedClient } from '../src';

const { getActions, getControlledAccounts, getKeyAccounts, getTransaction, getTraceBlock } = ROUTES;
const { getAbi, getChainBlock, getBlockInfo, getInfo, getRawAbi } = ROUTES;
/** Text that would reveal internals: stack traces, files, addresses, messages of libraries. */
const LEAKS =
  /node_modules|\bat \S+ \(|\.ts\b|\.js\b|\/tmp|127\.0\.0\.1|localhost|zod|lmdb|elastic|redis|amqp|rabbit|Unexpected token|invalid_type/i;

/** HTTP status and its reason phrase; code, name and `what` of the node's error. */
type Refusal = readonly [number, string, number, string, string];

/** Declares the tests of the errors of every endpoint. `url` returns the URL of a gateway that serves leap-edge. */
export function describeErrors(url: () => string): void {
  let client: CheckedClient;

  beforeAll(() => {
    client = new CheckedClient(url());
  });

  const NAME = [400, 'Bad Request', 3010001, 'name_type_exception', 'Invalid name'] as const;
  const KEY = [400, 'Bad Request', 3010002, 'public_key_type_exception', 'Invalid public key'] as const;
  const BLOCK = [400, 'Bad Request', 3010008, 'block_id_type_exception', 'Invalid block number or ID'] as const;
  const ID = [400, 'Bad Request', 3010009, 'transaction_id_type_exception', 'Invalid transaction ID'] as const;
  const UNKNOWN_BLOCK = [400, 'Unknown Block', 3100002, 'unknown_block_exception', 'Unknown block'] as const;
  const ACCOUNT = [400, 'Account lookup', 3060002, 'account_query_exception', 'Account Query Exception'] as const;
  const NO_TRACE = [404, 'Not Found', 0, 'block_trace_missing', 'Block trace missing'] as const;
  const NO_TRANSACTION = [404, 'Not Found', 3040011, 'tx_not_found', 'The transaction can not be found'] as const;
  const REQUEST = [
    400,
    'Bad Request',
    3200006,
    'invalid_http_request',
    'The request body is not what this endpoint takes',
  ] as const;

  const wrong: [Route, object, Refusal][] = [
    [getActions, { account_name: 'ALICE' }, NAME],
    [getActions, { account_name: '' }, NAME],
    [getActions, { account_name: 'aaaaaaaaaaaaa' }, NAME],
    [getActions, { account_name: 'alice.' }, NAME],
    [getActions, { account_name: 'älice' }, NAME],
    [getActions, { filter: 'eosio:UPPER' }, NAME],
    [getActions, { account: 'alice' }, REQUEST],
    [getActions, { account_name: 'alice', 'transfer.memo': 'x' }, REQUEST],
    [getActions, { account_name: 'alice', limit: 5 }, REQUEST],
    [getActions, { account_name: 7 }, REQUEST],
    [getActions, { pos: -2 }, REQUEST],
    [getActions, { pos: 1.5 }, REQUEST],
    [getActions, { pos: '1.0' }, REQUEST],
    [getActions, { pos: true }, REQUEST],
    [getActions, { pos: 1e300 }, REQUEST],
    [getActions, { pos: '99999999999999999999' }, REQUEST],
    [getActions, { offset: '' }, REQUEST],
    [getActions, { filter: '' }, REQUEST],
    [getActions, { filter: '*:*' }, REQUEST],
    [getActions, { filter: 'eosio' }, REQUEST],
    [getActions, { filter: 'eosio:*,' }, REQUEST],
    [getActions, { sort: 'up' }, REQUEST],
    [getActions, { sort: 2 }, REQUEST],
    [getActions, { after: 'yesterday' }, REQUEST],
    [getActions, { after: 0 }, REQUEST],
    [getActions, { before: '2026-02-30' }, REQUEST],
    [getActions, { before: 2 ** 32 }, REQUEST],
    [getActions, { parent: -1 }, REQUEST],
    [getControlledAccounts, {}, REQUEST],
    [getControlledAccounts, { controlling_account: null }, REQUEST],
    [getControlledAccounts, { controlling_account: 'Eosio' }, NAME],
    [getControlledAccounts, { controlling_account: '' }, NAME],
    [getKeyAccounts, {}, REQUEST],
    [getKeyAccounts, { public_key: 5 }, REQUEST],
    [getKeyAccounts, { public_key: '' }, KEY],
    [getKeyAccounts, { public_key: 'EOSbad' }, KEY],
    [getKeyAccounts, { public_key: 'PUB_K1_xxx' }, KEY],
    [getKeyAccounts, { public_key: 'PUB_XX_12wkBET2rRgE8pahuaczxKbmv7ciehqsne57F9gtzf1PVYNMRa2' }, KEY],
    [getKeyAccounts, { public_key: 'EOS12wkBET2rRgE8pahuaczxKbmv7ciehqsne57F9gtzf1PVYNMRa3' }, KEY],
    [getKeyAccounts, { public_key: `EOS${'1'.repeat(60_000)}` }, KEY],
    [getTransaction, {}, REQUEST],
    [getTransaction, { id: 5 }, REQUEST],
    [getTransaction, { id: '' }, ID],
    [getTransaction, { id: '1234567' }, ID],
    [getTransaction, { id: 'g'.repeat(64) }, ID],
    [getTransaction, { id: '0'.repeat(65) }, ID],
    [getTransaction, { id: 'f'.repeat(64) }, NO_TRANSACTION],
    [getTransaction, { id: 'F'.repeat(8), block_num_hint: 5 }, NO_TRANSACTION],
    [getTransaction, { id: 'f'.repeat(64), block_num_hint: -1 }, REQUEST],
    [getChainBlock, {}, REQUEST],
    [getChainBlock, { block_num_or_id: true }, REQUEST],
    [getChainBlock, { block_num_or_id: '' }, BLOCK],
    [getChainBlock, { block_num_or_id: 'abc' }, BLOCK],
    [getChainBlock, { block_num_or_id: 1.5 }, BLOCK],
    [getChainBlock, { block_num_or_id: 'f'.repeat(65) }, BLOCK],
    [getChainBlock, { block_num_or_id: 0 }, UNKNOWN_BLOCK],
    [getChainBlock, { block_num_or_id: 99999999 }, UNKNOWN_BLOCK],
    [getChainBlock, { block_num_or_id: 'f'.repeat(64) }, UNKNOWN_BLOCK],
    [getBlockInfo, {}, REQUEST],
    [getBlockInfo, { block_num: -1 }, REQUEST],
    [getBlockInfo, { block_num: 2 ** 32 }, REQUEST],
    [getBlockInfo, { block_num_or_id: 5 }, REQUEST],
    [getBlockInfo, { block_num: 0 }, UNKNOWN_BLOCK],
    [getBlockInfo, { block_num: 99999999 }, UNKNOWN_BLOCK],
    [getInfo, [], REQUEST],
    [getAbi, {}, REQUEST],
    [getAbi, { account_name: 'eosio', block_num: -1 }, REQUEST],
    [getAbi, { account: 'eosio' }, REQUEST],
    [getAbi, { account_name: 'EOSIO' }, NAME],
    [getAbi, { account_name: 'nobody.here' }, ACCOUNT],
    [getAbi, { account_name: 'eosio', block_num: 0 }, UNKNOWN_BLOCK],
    [getAbi, { account_name: 'eosio', block_num: 99999999 }, UNKNOWN_BLOCK],
    [getRawAbi, { account_name: 5 }, REQUEST],
    [getRawAbi, { account_name: 'eosio', abi_hash: 'abc' }, REQUEST],
    [getRawAbi, { account_name: 'aaaaaaaaaaaaa' }, NAME],
    [getRawAbi, { account_name: 'nobody.here' }, ACCOUNT],
    [getRawAbi, { account_name: 'eosio', block_num: 99999999 }, UNKNOWN_BLOCK],
    [getTraceBlock, {}, BLOCK],
    [getTraceBlock, { block_num: -2 }, BLOCK],
    [getTraceBlock, { block_num: 2 ** 32 }, BLOCK],
    [getTraceBlock, { block_num: 'x' }, REQUEST],
    [getTraceBlock, { block_id: 'abc' }, BLOCK],
    [getTraceBlock, { block_id: 5 }, REQUEST],
    [getTraceBlock, { block_num: 0 }, NO_TRACE],
    [getTraceBlock, { block_num: 99999999 }, NO_TRACE],
    [getTraceBlock, { block_num: 5, block_id: 'f'.repeat(64) }, NO_TRACE],
  ];
  const cases = wrong.map(
    ([route, body, refusal]) => [route.path, JSON.stringify(body).slice(0, 100), { route, body, refusal }] as const,
  );

  it.each(cases)('from %s for %s', async (path, _text, { route: { endpoint }, body, refusal }) => {
    const [status, message, code, name, what] = refusal;
    const response = await client.post(path, body);
    const detail = (response.json as ErrorResponse).error.details[0]?.message ?? '';
    expect([response.status, response.json]).toEqual([
      status,
      {
        code: status,
        message,
        error: { code, name, what, details: [{ message: detail, file: '', line_number: 0, method: endpoint }] },
      },
    ]);
    expect(detail.length).toBeGreaterThan(10);
    expect(response.text).not.toMatch(LEAKS);
    // A message does not repeat a long value.
    expect(response.text.length).toBeLessThan(1000);
  });

  it('name every invalid field and its valid values', async () => {
    const { json } = await client.post(getActions.path, { pos: -9, sort: 'up', after: {}, filter: 1 });
    const { message } = (json as ErrorResponse).error.details[0] ?? { message: '' };
    for (const field of ['pos', 'sort', 'after', 'filter']) expect(message).toContain(`${field}: give`);
  });

  it.each([
    '/nothing',
    '/v1',
    '/v1/history',
    '/v1/history/get_creator',
    '/v1/chain/get_account',
    '/v2/history/get_actions',
    '/.env',
  ])('have the status 404 for the unknown path %s', async (path) => {
    for (const method of ['GET', 'POST', 'PUT']) {
      const { status, json } = await client.send(method, path);
      expect([status, json]).toMatchObject([404, { code: 404, error: { code: 0, name: 'unknown_path' } }]);
    }
  });

  it('have the code and name that the recorded node returned', async () => {
    const recorded = readAuthorizers(sampleFolder('leap-edge')).errors.filter(
      ({ path }) => path === getChainBlock.path,
    );
    const refused = recorded.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(5);
    for (const { request, body } of refused) {
      const { code, name } = (body as ErrorResponse).error;
      const { json } = await client.post(getChainBlock.path, request);
      expect([request, json]).toMatchObject([request, { error: { code, name } }]);
    }
  });
}
