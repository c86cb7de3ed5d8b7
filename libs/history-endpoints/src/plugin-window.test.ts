import fc from 'fast-check';
import { pagePositions, pluginWindow } from './plugin-window';

/** The positions of 0 to count-1 that the plugin returned: its own steps, with its conversions to unsigned numbers. */
function recordedRule(count: number, pos: number, offset: number): number[] {
  const from = pos === -1 ? (count === 0 ? 0xfffffff : count) : pos;
  let [start, end] = [from, from + offset];
  if (offset <= 0) {
    start = from + offset;
    end = from;
    if (start > from) start = 0;
  }
  return Array.from({ length: count }, (_, at) => at).filter((at) => at >= start && at <= end);
}

describe('pluginWindow', () => {
  it('selects what the history plugin selected', () => {
    const near = fc.integer({ min: -30, max: 60 });
    fc.assert(
      fc.property(fc.nat(50), near, near, (count, pos, offset) => {
        const { first, last } = pluginWindow(pos, offset)(count);
        const selected = Array.from({ length: count }, (_, at) => at).filter((at) => at >= first && at <= last);
        expect(selected).toEqual(recordedRule(count, pos, offset));
      }),
    );
  });

  it.each([
    [undefined, undefined, { first: 80, last: 100 }],
    [-1, -1, { first: 99, last: 100 }],
    [-1, 5, { first: 100, last: 105 }],
    [5, -3, { first: 2, last: 5 }],
    [0, 0, { first: 0, last: 0 }],
    [-2, 10, { first: -2, last: 8 }],
    [-2, -1, { first: -3, last: -2 }],
    [2, -10, { first: -8, last: 2 }],
  ])('selects for pos %p and offset %p of 100 traces', (pos, offset, range) => {
    expect(pluginWindow(pos, offset)(100)).toEqual(range);
  });

  it('refuses positions beyond 32 bits, of which the plugin made negative ones', () => {
    expect(() => pluginWindow(2 ** 31 - 1, 1)).toThrow('pos + offset must not exceed 2147483647');
  });
});

describe('pagePositions', () => {
  const stored = { first: 0, last: 99 };
  const limits = { order: 'asc', maxRows: 10, hasConditions: false } as const;

  it.each([
    [
      { first: 5, last: 9 },
      { first: 5, last: 9, isCut: false },
    ],
    [
      { first: -8, last: 1 },
      { first: 0, last: 1, isCut: false },
    ],
    [
      { first: 90, last: 120 },
      { first: 90, last: 99, isCut: false },
    ],
    [
      { first: 20, last: 30 },
      { first: 20, last: 29, isCut: true },
    ],
  ])('selects of 100 traces, ten per page, for %j', (window, positions) => {
    expect(pagePositions(window, stored, limits)).toEqual(positions);
  });

  it('begins at the first position that is left', () => {
    expect(pagePositions({ first: 0, last: 50 }, { first: 45, last: 99 }, limits)).toEqual({
      first: 45,
      last: 50,
      isCut: false,
    });
    expect(pagePositions({ first: 0, last: 99 }, { first: 45, last: 99 }, limits)).toEqual({
      first: 45,
      last: 54,
      isCut: true,
    });
  });

  it('cuts a descending page at its oldest rows', () => {
    expect(pagePositions({ first: 20, last: 30 }, stored, { ...limits, order: 'desc' })).toEqual({
      first: 21,
      last: 30,
      isCut: true,
    });
  });

  it('refuses conditions on more positions than a page may have', () => {
    const withConditions = { ...limits, hasConditions: true };
    expect(pagePositions({ first: 91, last: 1_000 }, stored, withConditions).isCut).toBe(false);
    expect(() => pagePositions({ first: 20, last: 30 }, stored, withConditions)).toThrow('at most 10 positions');
  });
});
