import fc from 'fast-check';
import { parseRequest } from '@antelope-history/schemas';
import { getActions } from './get-actions';

const parse = (body: Record<string, unknown>) => parseRequest(getActions.request, body);

describe('a get_actions request', () => {
  it('needs no field', () => {
    expect(parse({})).toEqual({ sort: 'desc' });
  });

  it('treats null as absent, as eosjs sends it, and ignores unknown fields', () => {
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
    expect(parse(body)).toEqual({ sort: 'desc' });
  });

  it('reads every integer as a number or a decimal string', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1 }), fc.integer(), fc.nat(), (pos, offset, parent) => {
        const numbers = parse({ pos, offset, parent });
        expect(numbers).toMatchObject({ pos, offset, parent });
        expect(parse({ pos: `${pos}`, offset: `${offset}`, parent: `${parent}` })).toEqual(numbers);
      }),
    );
  });

  it.each([1.5, '1.5', '', ' 1', '+1', '0x10', '1e3', 'abc', true, [], [1], {}, 1e300, '9007199254740993', Infinity])(
    'refuses %j for an integer',
    (value) => {
      for (const field of ['pos', 'offset', 'parent']) {
        expect(() => parse({ [field]: value })).toThrow(`${field}: give an integer from`);
      }
    },
  );

  it('says once what is wrong with a number beyond the safe integers', () => {
    expect(() => parse({ pos: 1e300 })).toThrow(
      /^pos: give an integer from -1 to \d+, as a number or a decimal string$/,
    );
  });

  it('refuses positions below -1 and parents below 0', () => {
    expect(parse({ pos: -1 }).pos).toBe(-1);
    expect(() => parse({ pos: -2 })).toThrow('pos: give an integer from -1');
    expect(() => parse({ parent: '-1' })).toThrow('parent: give an integer from 0');
  });

  it.each([
    ['desc', 'desc'],
    ['-1', 'desc'],
    [-1, 'desc'],
    ['asc', 'asc'],
    ['1', 'asc'],
    [1, 'asc'],
  ])('reads sort %j as %s', (sort, order) => {
    expect(parse({ sort }).sort).toBe(order);
  });

  it.each(['up', 'ASC', 0, 2, '', true])('refuses sort %j', (sort) => {
    expect(() => parse({ sort })).toThrow('sort: give desc, asc');
  });

  it.each([
    ['eosio.token:transfer', [{ account: 'eosio.token', name: 'transfer' }]],
    ['eosio.token:*', [{ account: 'eosio.token' }]],
    ['*:transfer', [{ name: 'transfer' }]],
    ['a:b,*:c,a:b', [{ account: 'a', name: 'b' }, { name: 'c' }]],
  ])('reads the filter %s', (filter, parts) => {
    expect(parse({ filter }).filter).toEqual(parts);
  });

  it.each(['*:*', 'transfer', 'a:', ':b', 'a:b:c', 'a:b,', ',a:b', 'a:b,c', '', '*', 'a*:b', 'a:b*', 5, ['a:b']])(
    'refuses the filter %j and never treats it as "all"',
    (filter) => {
      expect(() => parse({ filter })).toThrow('filter: give code:name');
    },
  );

  it('bounds the parts of a filter', () => {
    const filterOf = (parts: number) => Array.from({ length: parts }, (_, index) => `a:b${index}`).join(',');
    expect(parse({ filter: filterOf(100) }).filter).toHaveLength(100);
    expect(() => parse({ filter: filterOf(101) })).toThrow('at most 100 parts');
  });

  it('names every wrong field', () => {
    expect(() => parse({ pos: 'x', sort: 'x' })).toThrow(/pos: .*; sort: /);
  });

  it('parses any body or throws INVALID_REQUEST', () => {
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
          parse(body);
        } catch (error) {
          expect(error).toMatchObject({ code: 'INVALID_REQUEST' });
        }
      }),
    );
  });
});

describe('the bounds after and before', () => {
  const after = (value: unknown) => parse({ after: value }).after;
  const before = (value: unknown) => parse({ before: value }).before;

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

  it('round fractions of a millisecond towards the inside of the range', () => {
    expect(after('2026-01-01T00:00:00.0001')).toEqual({ timeMs: Date.UTC(2026, 0, 1) + 1 });
    expect(before('2026-01-01T00:00:00.0009')).toEqual({ timeMs: Date.UTC(2026, 0, 1) });
    expect(after('2026-01-01T00:00:00.500000')).toEqual({ timeMs: Date.UTC(2026, 0, 1) + 500 });
  });

  it('read every ISO 8601 time', () => {
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
