import { createOpenApiDocument } from '@antelope-history/openapi';
import { type CheckedResponse, createResponseCheck } from '@antelope-history/test-support/openapi-check';
import { ROUTES } from '../src';

/** Fields of the examples that other responses omit. */
const MAY_BE_ABSENT: Record<string, string[]> = {
  // Of a deferred transaction.
  getTransaction: ['trx.trx'],
  // Of an EOSIO 2.0 node's block, where the data is not decoded.
  getChainBlock: ['transactions.0.trx.transaction.actions.0.hex_data'],
  // Of an account without ABI, and of an EOSIO 2.0 node.
  getAbi: ['abi', 'abi.action_results'],
  // Of code that is older than the index, and of an ABI that the client has.
  getRawAbi: ['code_hash', 'abi'],
  // Of an EOSIO 2.0 node, and of an index that begins above the last irreversible block.
  getInfo: ['chain_id', 'last_irreversible_block_time'],
  // Of an EOSIO 2.0 node's block.
  getTraceBlock: ['transactions.0.actions.0.return_value', 'transactions.1.actions.0.return_value'],
};

describe('the check of responses against the OpenAPI document', () => {
  const check = createResponseCheck(createOpenApiDocument({ version: '', routes: ROUTES }));
  const responseOf = (value: unknown, rest: Partial<CheckedResponse> = {}): CheckedResponse => ({
    method: 'POST',
    path: ROUTES.getActions.path,
    status: 200,
    contentType: 'application/json; charset=utf-8',
    body: JSON.stringify(value),
    ...rest,
  });
  const error = (code: number, name: string, nodeCode: number) => ({
    code,
    message: 'Bad Request',
    error: { code: nodeCode, name, what: '', details: [{ message: '', file: '', line_number: 0, method: '' }] },
  });

  it.each(Object.entries(ROUTES))('accepts the example of %s', (_, { path, example }) => {
    expect(check(responseOf(example.response, { path }))).toEqual([]);
  });

  /** Copies of a response, each without one field of one of its objects. */
  function* withoutAField(value: unknown, copy: () => unknown): Generator<{ left: string; broken: unknown }> {
    const walk = function* (node: unknown, path: string[]): Generator<{ left: string; broken: unknown }> {
      if (typeof node !== 'object' || node === null) return;
      for (const [key, child] of Object.entries(node)) {
        const isData = ['data', 'params'].includes(key);
        if (!Array.isArray(node)) {
          const whole = copy();
          const parent = path.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], whole);
          Reflect.deleteProperty(parent as object, key);
          if (key !== 'params') yield { left: [...path, key].join('.'), broken: whole };
        }
        if (!isData) yield* walk(child, [...path, key]);
      }
    };
    yield* walk(value, []);
  }

  it.each(Object.entries(ROUTES))(
    'reports every field that a response of %s omits',
    (key, { path, example: { response } }) => {
      const accepted: string[] = [];
      let tried = 0;
      for (const { left, broken } of withoutAField(response, () => structuredClone(response))) {
        tried += 1;
        if (check(responseOf(broken, { path })).length === 0) accepted.push(left);
      }
      expect(tried).toBeGreaterThan(0);
      expect(accepted).toEqual(MAY_BE_ABSENT[key] ?? []);
    },
  );

  it('reports fields that no schema names', () => {
    const { path, example } = ROUTES.getKeyAccounts;
    expect(check(responseOf({ ...(example.response as object), extra: 1 }, { path }))).not.toEqual([]);
  });

  it('accepts the errors of an endpoint, by status, code and name', () => {
    const at = (status: number, body: unknown, path: string = ROUTES.getActions.path) =>
      check(responseOf(body, { status, path }));
    expect(at(400, error(400, 'name_type_exception', 3010001))).toEqual([]);
    expect(at(400, error(400, 'name_type_exception', 3010002))).not.toEqual([]);
    expect(at(400, error(400, 'tx_not_found', 3040011))).not.toEqual([]);
    expect(at(400, error(413, 'body_too_large', 0))).not.toEqual([]);
    expect(at(404, error(404, 'tx_not_found', 3040011), ROUTES.getTransaction.path)).toEqual([]);
    expect(at(404, error(404, 'block_trace_missing', 0), ROUTES.getTransaction.path)).not.toEqual([]);
  });

  it('requires the shared shape of every other error', () => {
    const unknown = { status: 404, path: '/v1/nothing' };
    expect(check(responseOf(error(404, 'unknown_path', 0), unknown))).toEqual([]);
    expect(check(responseOf({ code: 404 }, unknown))).not.toEqual([]);
    expect(check(responseOf(error(400, 'unknown_path', 0), unknown))).toEqual(['/code is not 404']);
    expect(check(responseOf(error(200, '', 0), { path: '/v1/nothing' }))).toContain('the status 200 is not described');
  });

  it('requires JSON', () => {
    expect(check(responseOf({}, { body: '<html>' }))).toEqual(['the body is not JSON']);
    expect(check(responseOf({}, { contentType: 'text/html' }))).toEqual(['the content type is text/html']);
    expect(
      check({ ...responseOf({}), method: 'GET', path: '/metrics', contentType: 'text/plain; version=0.0.4' }),
    ).toEqual([]);
  });
});
