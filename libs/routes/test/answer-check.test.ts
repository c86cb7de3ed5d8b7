import { createAnswerCheck, type HttpAnswer } from '@antelope-history/openapi-check';
import { ROUTES } from '../src';

/** Fields of the examples that other answers leave out. */
const MAY_BE_ABSENT: Record<string, string[]> = {
  // Of a deferred transaction.
  getTransaction: ['trx.trx'],
  // Of an EOSIO 2.0 node's block, where the data is not decoded.
  getChainBlock: ['transactions.0.trx.transaction.actions.0.hex_data'],
  // Of an EOSIO 2.0 node's block.
  getTraceBlock: ['transactions.0.actions.0.return_value', 'transactions.1.actions.0.return_value'],
};

describe('the check of answers against the OpenAPI document', () => {
  const check = createAnswerCheck(ROUTES);
  const answerOf = (value: unknown, rest: Partial<HttpAnswer> = {}): HttpAnswer => ({
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

  it.each(Object.entries(ROUTES))('finds nothing wrong with the example of %s', (_, { path, example }) => {
    expect(check(answerOf(example.response, { path }))).toEqual([]);
  });

  /** Every object of an answer, with what removes one of its fields. */
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
    'notices every field that an answer of %s leaves out',
    (key, { path, example: { response } }) => {
      const accepted: string[] = [];
      let tried = 0;
      for (const { left, broken } of withoutAField(response, () => structuredClone(response))) {
        tried += 1;
        if (check(answerOf(broken, { path })).length === 0) accepted.push(left);
      }
      expect(tried).toBeGreaterThan(0);
      expect(accepted).toEqual(MAY_BE_ABSENT[key] ?? []);
    },
  );

  it('sees fields that no schema names', () => {
    const { path, example } = ROUTES.getKeyAccounts;
    expect(check(answerOf({ ...(example.response as object), extra: 1 }, { path }))).not.toEqual([]);
  });

  it('knows which errors an endpoint has, by status, code and name', () => {
    const at = (status: number, body: unknown, path: string = ROUTES.getActions.path) =>
      check(answerOf(body, { status, path }));
    expect(at(400, error(400, 'name_type_exception', 3010001))).toEqual([]);
    expect(at(400, error(400, 'name_type_exception', 3010002))).not.toEqual([]);
    expect(at(400, error(400, 'tx_not_found', 3040011))).not.toEqual([]);
    expect(at(400, error(413, 'body_too_large', 0))).not.toEqual([]);
    expect(at(404, error(404, 'tx_not_found', 3040011), ROUTES.getTransaction.path)).toEqual([]);
    expect(at(404, error(404, 'block_trace_missing', 0), ROUTES.getTransaction.path)).not.toEqual([]);
  });

  it('wants the shared shape of every other error', () => {
    const unknown = { status: 404, path: '/v1/nothing' };
    expect(check(answerOf(error(404, 'unknown_path', 0), unknown))).toEqual([]);
    expect(check(answerOf({ code: 404 }, unknown))).not.toEqual([]);
    expect(check(answerOf(error(400, 'unknown_path', 0), unknown))).toEqual(['/code is not 404']);
    expect(check(answerOf(error(200, '', 0), { path: '/v1/nothing' }))).toContain('the status 200 is not described');
  });

  it('wants JSON, and says so', () => {
    expect(check(answerOf({}, { body: '<html>' }))).toEqual(['the body is not JSON']);
    expect(check(answerOf({}, { contentType: 'text/html' }))).toEqual(['the content type is text/html']);
    expect(
      check({ ...answerOf({}), method: 'GET', path: '/metrics', contentType: 'text/plain; version=0.0.4' }),
    ).toEqual([]);
  });
});
