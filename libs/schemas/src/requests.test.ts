import fc from 'fast-check';
import { getActionsRequest } from './endpoints/get-actions';
import { getChainBlockRequest } from './endpoints/get-chain-block';
import { getTraceBlockRequest } from './endpoints/get-trace-block';
import { getTransactionRequest } from './endpoints/get-transaction';
import { parseRequest } from './parse-request';

const getActions = (body: Record<string, unknown>) => parseRequest(getActionsRequest, body);

describe('a get_actions request', () => {
  it('needs no field', () => {
    expect(getActions({})).toEqual({ sort: 'desc' });
  });

  it('takes null for absent, as eosjs sends it, and ignores what it does not know', () => {
    const body = {
      account_name: null,
      pos: null,
      offset: null,
      filter: null,
      sort: null,
      after: null,
      limit: 7,
      'act.name': 1,
    };
    expect(getActions(body)).toEqual({ sort: 'desc' });
  });

  it('reads every integer as a number or a decimal string', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1 }), fc.integer(), fc.nat(), (pos, offset, parent) => {
        const numbers = getActions({ pos, offset, parent });
        expect(numbers).toMatchObject({ pos, offset, parent });
        expect(getActions({ pos: `${pos}`, offset: `${offset}`, parent: `${parent}` })).toEqual(numbers);
      }),
    );
  });

  it.each([1.5, '1.5', '', ' 1', '+1', '0x10', '1e3', 'abc', true, [], [1], {}, 1e300, '9007199254740993', Infinity])(
    'refuses %j for an integer',
    (value) => {
      for (const field of ['pos', 'offset', 'parent']) {
        expect(() => getActions({ [field]: value })).toThrow(`${field}: give an integer from`);
      }
    },
  );

  it('refuses positions below -1 and parents below 0', () => {
    expect(getActions({ pos: -1 }).pos).toBe(-1);
    expect(() => getActions({ pos: -2 })).toThrow('pos: give an integer from -1');
    expect(() => getActions({ parent: '-1' })).toThrow('parent: give an integer from 0');
  });

  it.each([
    ['desc', 'desc'],
    ['-1', 'desc'],
    [-1, 'desc'],
    ['asc', 'asc'],
    ['1', 'asc'],
    [1, 'asc'],
  ])('reads sort %j as %s', (sort, order) => {
    expect(getActions({ sort }).sort).toBe(order);
  });

  it.each(['up', 'ASC', 0, 2, '', true])('refuses sort %j', (sort) => {
    expect(() => getActions({ sort })).toThrow('sort: give desc, asc');
  });

  it.each([
    ['eosio.token:transfer', [{ account: 'eosio.token', name: 'transfer' }]],
    ['eosio.token:*', [{ account: 'eosio.token' }]],
    ['*:transfer', [{ name: 'transfer' }]],
    ['a:b,*:c,a:b', [{ account: 'a', name: 'b' }, { name: 'c' }]],
  ])('reads the filter %s', (filter, parts) => {
    expect(getActions({ filter }).filter).toEqual(parts);
  });

  it.each(['*:*', 'transfer', 'a:', ':b', 'a:b:c', 'a:b,', ',a:b', 'a:b,c', '', '*', 'a*:b', 'a:b*', 5, ['a:b']])(
    'refuses the filter %j and never takes it for "all"',
    (filter) => {
      expect(() => getActions({ filter })).toThrow('filter: give code:name');
    },
  );

  it('bounds the parts of a filter', () => {
    const filterOf = (parts: number) => Array.from({ length: parts }, (_, index) => `a:b${index}`).join(',');
    expect(getActions({ filter: filterOf(100) }).filter).toHaveLength(100);
    expect(() => getActions({ filter: filterOf(101) })).toThrow('at most 100 parts');
  });

  it('names every wrong field', () => {
    expect(() => getActions({ pos: 'x', sort: 'x' })).toThrow(/pos: .*; sort: /);
  });

  it('refuses or reads any body at all, and throws nothing but INVALID_REQUEST', () => {
    const field = fc.constantFrom(
      'account_name',
      'pos',
      'offset',
      'filter',
      'sort',
      'after',
      'before',
      'parent',
      '__proto__',
    );
    fc.assert(
      fc.property(fc.dictionary(field, fc.jsonValue()), (body) => {
        try {
          getActions(body);
        } catch (error) {
          expect(error).toMatchObject({ code: 'INVALID_REQUEST' });
        }
      }),
    );
  });
});

describe('the bounds after and before', () => {
  const after = (value: unknown) => getActions({ after: value }).after;
  const before = (value: unknown) => getActions({ before: value }).before;

  it.each([1, '1', 2026, '2026', '4294967295', '007'])('read %j as a block number', (value) => {
    expect(after(value)).toEqual({ blockNum: Number(value) });
  });

  it.each([
    ['2026-01-01T00:00:00', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01t00:00:00z', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01 00:00:00', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01T10:30', '2026-01-01T10:30:00.000Z'],
    ['2026-01-01T00:00:00.5', '2026-01-01T00:00:00.500Z'],
    ['2026-01-01T00:00:00,25Z', '2026-01-01T00:00:00.250Z'],
    ['2026-01-01T02:00:00+02:00', '2026-01-01T00:00:00.000Z'],
    ['2025-12-31T18:30:00-0530', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01T02:00:00+02', '2026-01-01T00:00:00.000Z'],
    ['2024-02-29T00:00:00', '2024-02-29T00:00:00.000Z'],
  ])('read %s as UTC', (value, utc) => {
    expect(after(value)).toEqual({ timeMs: Date.parse(utc) });
    expect(before(value)).toEqual({ timeMs: Date.parse(utc) });
  });

  it('round inwards below the millisecond', () => {
    expect(after('2026-01-01T00:00:00.0001')).toEqual({ timeMs: Date.UTC(2026, 0, 1) + 1 });
    expect(before('2026-01-01T00:00:00.0009')).toEqual({ timeMs: Date.UTC(2026, 0, 1) });
    expect(after('2026-01-01T00:00:00.500000')).toEqual({ timeMs: Date.UTC(2026, 0, 1) + 500 });
  });

  it('read every time that is written as ISO 8601', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }), (date) => {
        expect(after(date.toISOString())).toEqual({ timeMs: date.getTime() });
      }),
    );
  });

  it.each([
    ['0', 0, -5, '-5', 1.5, '1.5', '1e6', '0x10', '4294967296', 1767225600000],
    ['', ' 100 ', 'garbage', 'yesterday', '2026-1-1', '2026-01', '20260101T000000Z', '10:00:00', '2026-W01-1'],
    ['2026-02-30', '2026-13-01', '2025-02-29', '2026-01-01T24:00:00', '2026-01-01T00:60:00', '2026-01-01T00:00:61'],
    [
      '2026-01-01T00:00:00+24:00',
      '2026-01-01T00:00:00+2',
      '2026-01-01T00:00:00 UTC',
      '2026-01-01Tnoon',
      '2026-01-01TZ',
    ],
    [true, [], {}, '2026-01-01T00:00:00Z\n'],
  ])('refuse what is neither (%#)', (...values: unknown[]) => {
    for (const value of values) {
      expect(() => after(value)).toThrow('after: give an ISO 8601 date-time');
      expect(() => before(value)).toThrow('before: give an ISO 8601 date-time');
    }
  });
});

describe('the other requests', () => {
  it('take a block hint, and nothing else, as an integer', () => {
    expect(parseRequest(getTransactionRequest, { id: 'abcdef01', block_num_hint: '7' }).block_num_hint).toBe(7);
    expect(() => parseRequest(getTransactionRequest, { id: 'abcdef01', block_num_hint: -1 })).toThrow('block_num_hint');
    expect(() => parseRequest(getTransactionRequest, { id: 12345678 })).toThrow(
      'id: give a transaction id as a string',
    );
  });

  it('take a block number or id in one field', () => {
    expect(parseRequest(getChainBlockRequest, { block_num_or_id: 5 }).block_num_or_id).toBe(5);
    for (const body of [{}, { block_num_or_id: null }, { block_num_or_id: true }, { block_num_or_id: [] }]) {
      expect(() => parseRequest(getChainBlockRequest, body)).toThrow(
        'block_num_or_id: give a block number or a block id',
      );
    }
  });

  it('take a block number, a block id or both', () => {
    const body = { block_num: '-1', block_id: 'ab' };
    expect(parseRequest(getTraceBlockRequest, body)).toEqual({ block_num: -1, block_id: 'ab' });
    expect(() => parseRequest(getTraceBlockRequest, { block_num: 'latest' })).toThrow('block_num: give an integer');
    expect(() => parseRequest(getTraceBlockRequest, { block_id: 5 })).toThrow('block_id: give a block id as a string');
  });
});
