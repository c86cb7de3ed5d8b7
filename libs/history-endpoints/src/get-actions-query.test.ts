import fc from 'fast-check';
import { HISTORY_ROUTES } from '@antelope-history/history-routes';
import { parseRequest } from '@antelope-history/schemas';
import { toActionsQuery, toPage } from './get-actions-query';

const MAX_PAGE = 50;

/** The rows on a page, of the rows 0 to count-1 in their order. */
function rowsOnPage(count: number, order: 'asc' | 'desc', pos?: number, offset?: number): number[] {
  const all = Array.from({ length: count }, (_, row) => row);
  const { window, skip, limit } = toPage(pos, offset, MAX_PAGE);
  if (window === 'newest' && order === 'asc') return all.slice(-limit);
  return all.slice(skip, skip + limit);
}

const count = fc.nat(120);
const pos = fc.nat(150);
const size = fc.integer({ min: 1, max: 80 });
const order = fc.constantFrom('asc' as const, 'desc' as const);

describe('toPage', () => {
  it('shows n rows from p on', () => {
    fc.assert(
      fc.property(count, order, pos, size, (count, order, pos, n) => {
        const expected = Math.min(n, MAX_PAGE, Math.max(0, count - pos));
        const rows = rowsOnPage(count, order, pos, n);
        expect(rows).toEqual(Array.from({ length: expected }, (_, index) => pos + index));
      }),
    );
  });

  it('shows up to n rows that end at position p for offset -n', () => {
    fc.assert(
      fc.property(count, order, pos, size, (count, order, pos, n) => {
        const shown = rowsOnPage(count, order, pos, -n);
        const expected = [];
        for (let row = 0; row < count; row++) {
          if (row <= pos && row > pos - Math.min(n, MAX_PAGE)) expected.push(row);
        }
        expect(shown).toEqual(expected);
      }),
    );
  });

  it('shows the newest rows for pos -1, and for a negative offset alone', () => {
    fc.assert(
      fc.property(count, order, size, fc.boolean(), (count, order, n, negative) => {
        const expected = Math.min(n, MAX_PAGE, count);
        const first = order === 'asc' ? count - expected : 0;
        const newest = Array.from({ length: expected }, (_, index) => first + index);
        expect(rowsOnPage(count, order, -1, negative ? -n : n)).toEqual(newest);
        expect(rowsOnPage(count, order, undefined, -n)).toEqual(newest);
      }),
    );
  });

  it('shows 20 rows when offset is absent or 0', () => {
    for (const offset of [undefined, 0]) {
      expect(rowsOnPage(100, 'desc', undefined, offset)).toHaveLength(20);
      expect(rowsOnPage(100, 'desc', 90, offset)).toEqual([90, 91, 92, 93, 94, 95, 96, 97, 98, 99]);
      expect(rowsOnPage(100, 'asc', -1, offset)[0]).toBe(80);
    }
  });

  it('returns each row once over all pages', () => {
    fc.assert(
      fc.property(count, fc.integer({ min: 1, max: MAX_PAGE }), (count, n) => {
        const walked: number[] = [];
        for (let pos = 0; pos < count; pos += n) walked.push(...rowsOnPage(count, 'desc', pos, n));
        expect(walked).toEqual(Array.from({ length: count }, (_, row) => row));
      }),
    );
  });

  it('requests at least one row and at most the limit', () => {
    fc.assert(
      fc.property(fc.option(fc.maxSafeInteger().map(Math.abs)), fc.option(fc.maxSafeInteger()), (pos, offset) => {
        const { skip, limit } = toPage(pos ?? undefined, offset ?? undefined, MAX_PAGE);
        expect(skip).toBeGreaterThanOrEqual(0);
        expect(Number.isSafeInteger(skip)).toBe(true);
        expect(limit).toBeGreaterThanOrEqual(1);
        expect(limit).toBeLessThanOrEqual(MAX_PAGE);
      }),
    );
  });
});

describe('toActionsQuery', () => {
  const queryOf = (body: Record<string, unknown>) =>
    toActionsQuery(parseRequest(HISTORY_ROUTES.getActions.request, body), MAX_PAGE);

  it('passes bounds, filters, order and parent to the store', () => {
    const body = {
      account_name: 'alice',
      sort: '1',
      after: '5',
      before: '1970-01-01',
      filter: 'a:b,*:c,d:*',
      parent: 9,
    };
    expect(queryOf(body)).toEqual({
      account: 'alice',
      filters: [{ account: 'a', name: 'b' }, { name: 'c' }, { account: 'd' }],
      data: [],
      after: { blockNum: 5 },
      before: { timeMs: 0 },
      parent: { sequence: 9 },
      order: 'asc',
      skip: 0,
      limit: 20,
      window: 'skip',
    });
    expect(queryOf({ parent: 0 }).parent).toBe('root');
    expect(queryOf({})).toMatchObject({ account: undefined, filters: [], parent: undefined, order: 'desc' });
  });

  it.each(['', 'Alice', 'alice6', 'a.', 'toolongaccountname', 'aaaaaaaaaaaaj', 'a b', 'a\u0000'])(
    'refuses the account name %j',
    (account_name) => {
      expect(() => queryOf({ account_name })).toThrow(expect.objectContaining({ code: 'INVALID_NAME' }));
    },
  );

  it('refuses impossible names in filters, and accepts action names of 13 characters', () => {
    expect(queryOf({ filter: '*:aaaaaaaaaaaaj' }).filters).toEqual([{ name: 'aaaaaaaaaaaaj' }]);
    expect(() => queryOf({ filter: '*:aaaaaaaaaaaaz' })).toThrow('filter: names are');
    expect(() => queryOf({ filter: 'eosio.token:Transfer' })).toThrow('filter: names are');
  });
});
