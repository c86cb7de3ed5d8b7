import type { ActionTrace } from '@antelope-history/records';
import { AccountTraceRows, type PositionRange, rowSelection, type TraceConditions } from './account-traces';
import { MAX_PAGE_BYTES } from './history-store';
import type { StoredAction } from './stored';

const NO_CONDITIONS: TraceConditions = { filters: [], after: undefined, before: undefined, parent: undefined };
/** 2026-01-01T00:00:00Z, as a number of half seconds since 2000 and in milliseconds since 1970. */
const [SLOT, TIME_MS] = [1_641_081_600, 1_767_225_600_000];

function trace(ordinal: number, creatorOrdinal: number): ActionTrace {
  const receipt = {
    actDigest: '',
    globalSequence: ordinal,
    recvSequence: 0n,
    authSequence: [],
    codeSequence: 0,
    abiSequence: 0,
  };
  return {
    ordinal,
    creatorOrdinal,
    closestUnnotifiedAncestorOrdinal: creatorOrdinal,
    receiver: 'hot',
    receipt,
    elapsed: 0n,
    console: Buffer.alloc(0),
    accountRamDeltas: [],
    except: undefined,
    errorCode: undefined,
    returnValue: Buffer.alloc(0),
  };
}

/** An action of block 10, in a transaction of its own unless one is given. */
function row({ data = Buffer.alloc(1), creator = 0, name = 'ping', ...facts }: Partial<RowFacts> = {}): StoredAction {
  return {
    transactionId: 'aa',
    blockNum: 10,
    blockId: '0a',
    blockTimestamp: SLOT,
    ...facts,
    action: { account: 'hot', name, authorization: [], data, contextFree: false, traces: [trace(1, creator)] },
  };
}

interface RowFacts extends Omit<StoredAction, 'action'> {
  data: Buffer;
  creator: number;
  name: string;
}

describe('rowSelection', () => {
  const meets = (conditions: Partial<TraceConditions>, parent?: Parameters<typeof rowSelection>[1], of = row()) =>
    rowSelection({ conditions: { ...NO_CONDITIONS, ...conditions } }, parent).matches(of);

  it.each([
    [{ blockNum: 10 }, true, true],
    [{ blockNum: 9 }, true, false],
    [{ blockNum: 11 }, false, true],
    [{ timeMs: TIME_MS }, true, true],
    [{ timeMs: TIME_MS - 1 }, true, false],
    [{ timeMs: TIME_MS + 1 }, false, true],
  ])('takes the bound %j as inclusive', (bound, isAfter, isBefore) => {
    expect([meets({ after: bound }), meets({ before: bound })]).toEqual([isAfter, isBefore]);
  });

  it('takes the actions that one trace created, not those of another transaction with the same id', () => {
    const parent = { transactionId: 'aa', blockNum: 10, ordinal: 3 };
    const created = (facts: Partial<RowFacts>) =>
      meets({ parent: { sequence: 5 } }, parent, row({ creator: 3, ...facts }));
    expect(created({})).toBe(true);
    // A contract can schedule equal deferred transactions.
    expect(created({ blockNum: 11 })).toBe(false);
    expect(created({ transactionId: 'bb' })).toBe(false);
    expect(created({ creator: 2 })).toBe(false);
    expect(meets({ parent: { sequence: 5 } })).toBe(false);
    expect([meets({ parent: 'root' }), meets({ parent: 'root' }, undefined, row({ creator: 1 }))]).toEqual([
      true,
      false,
    ]);
  });

  it('needs all conditions, and one of the filters', () => {
    const filters = [{ name: 'never' }, { account: 'hot', name: 'ping' }];
    expect(meets({ filters, after: { blockNum: 10 }, parent: 'root' })).toBe(true);
    expect(meets({ filters: [{ name: 'never' }] })).toBe(false);
    expect(meets({ filters, before: { blockNum: 9 } })).toBe(false);
    expect(meets({ filters, parent: { sequence: 1 } })).toBe(false);
  });
});

describe('AccountTraceRows', () => {
  const ALL = { first: 0, last: 99 };
  const quarter = Buffer.alloc(MAX_PAGE_BYTES / 4);
  const whole = Buffer.alloc(MAX_PAGE_BYTES);

  /** Takes rows, one transaction each, until the page is full. */
  function page(
    rows: readonly StoredAction[],
    { order = 'asc', name, range = ALL }: { order?: 'asc' | 'desc'; name?: string; range?: PositionRange },
  ) {
    const conditions = name === undefined ? undefined : { ...NO_CONDITIONS, filters: [{ name }] };
    const taken = new AccountTraceRows('hot', range, rowSelection({ order, conditions }, undefined));
    let position = 0;
    for (const each of rows) {
      if (taken.isFull) break;
      position = taken.take([each], position);
    }
    return { positions: taken.rows.map((each) => each.position), more: taken.more, read: position };
  }
  const large = (count: number, name?: string): StoredAction[] =>
    Array.from({ length: count }, () => row({ data: quarter, ...(name !== undefined && { name }) }));

  it('ends a page where it is full, from the beginning of its order on', () => {
    expect(page(large(4), {})).toEqual({ positions: [0, 1, 2, 3], more: false, read: 4 });
    expect(page(large(9), {})).toEqual({ positions: [0, 1, 2, 3], more: true, read: 5 });
    expect(page(large(4), { order: 'desc' })).toEqual({ positions: [3, 2, 1, 0], more: false, read: 4 });
    expect(page(large(9), { order: 'desc' })).toEqual({ positions: [8, 7, 6, 5], more: true, read: 9 });
    const largest = [row(), row({ data: whole }), row()];
    expect(page(largest, { order: 'desc' })).toEqual({ positions: [2, 1], more: true, read: 3 });
  });

  it('has no more rows where those that follow do not meet the conditions', () => {
    const rows = [...large(4), ...large(3, 'pong')];
    expect(page(rows, { name: 'ping' })).toEqual({ positions: [0, 1, 2, 3], more: false, read: 7 });
    expect(page([...large(3, 'pong'), ...large(4)], { name: 'ping', order: 'desc' })).toMatchObject({
      positions: [6, 5, 4, 3],
      more: false,
    });
  });

  it('reads no transaction after its last position', () => {
    const range = { first: 1, last: 2 };
    expect(page(large(9), { range })).toEqual({ positions: [1, 2], more: false, read: 3 });
    expect(page(large(9), { range, order: 'desc' })).toEqual({ positions: [2, 1], more: false, read: 3 });
    expect(page(large(9), { range, name: 'never' })).toEqual({ positions: [], more: false, read: 3 });
  });

  it('ends after its last row where more than two pages of rows that it leaves out follow', () => {
    const rows = [...large(2), ...large(9, 'pong'), ...large(1)];
    expect(page(rows, { name: 'ping' })).toEqual({ positions: [0, 1], more: true, read: 11 });
    const full = [...large(4), ...large(9, 'pong')];
    expect(page(full, { name: 'ping' })).toEqual({ positions: [0, 1, 2, 3], more: true, read: 13 });
    const tooBroad = expect.objectContaining({ code: 'QUERY_TOO_BROAD' }) as Error;
    expect(() => page([...large(9, 'pong'), ...large(2)], { name: 'ping' })).toThrow(tooBroad);
    expect(() => page(rows, { name: 'ping', order: 'desc' })).toThrow(tooBroad);
  });

  it('refuses rows that it leaves out, beyond two pages of them', () => {
    const tooBroad = expect.objectContaining({ code: 'QUERY_TOO_BROAD' }) as Error;
    expect(page(large(8), { name: 'never' })).toEqual({ positions: [], more: false, read: 8 });
    expect(() => page(large(9), { name: 'never' })).toThrow(tooBroad);
    expect(page(large(12), { order: 'desc' })).toMatchObject({ positions: [11, 10, 9, 8], more: true });
    expect(() => page(large(13), { order: 'desc' })).toThrow(tooBroad);
    // Fewer positions always help.
    const huge = row({ data: Buffer.alloc(3 * MAX_PAGE_BYTES) });
    expect(page([huge], { name: 'never' })).toEqual({ positions: [], more: false, read: 1 });
    expect(() => page([huge, row()], { name: 'never' })).toThrow(tooBroad);
  });
});
