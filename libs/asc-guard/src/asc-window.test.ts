import fc from 'fast-check';
import { checkAscWindow } from './asc-window';

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 0, 1);
const LIMITS = { requireBoundedAsc: true, maxAscWindowDays: 90 };
const EARLIEST = NOW - 90 * DAY_MS;

const time = fc.integer({ min: 0, max: 2 ** 42 }).map((timeMs) => ({ timeMs }));
const block = fc.integer({ min: 1, max: 4294967295 }).map((blockNum) => ({ blockNum }));
const anyBound = fc.oneof(time, block);
const maybeBound = fc.option(anyBound, { nil: undefined });

describe('checkAscWindow', () => {
  it('refuses an ascending query without a bound', () => {
    expect(checkAscWindow({ order: 'asc' }, NOW, LIMITS)?.code).toBe('ASC_UNBOUNDED');
  });

  it.each([
    [EARLIEST - 1, 'ASC_WINDOW_EXCEEDED'],
    [EARLIEST, undefined],
    [EARLIEST + 1, undefined],
    [NOW + DAY_MS, undefined],
  ])('draws the line at the millisecond: after %d', (timeMs, code) => {
    expect(checkAscWindow({ order: 'asc', after: { timeMs } }, NOW, LIMITS)?.code).toBe(code);
  });

  it('names the days of the window and the way out', () => {
    const violation = checkAscWindow({ order: 'asc', after: { timeMs: 0 } }, NOW, { ...LIMITS, maxAscWindowDays: 7 });
    expect(violation?.message).toMatch(/last 7 days.*block number/);
  });

  it('never restricts descending queries', () => {
    fc.assert(
      fc.property(maybeBound, maybeBound, fc.integer(), (after, before, nowMs) => {
        expect(checkAscWindow({ order: 'desc', after, before }, nowMs, LIMITS)).toBeUndefined();
      }),
    );
  });

  it('allows everything when it is switched off', () => {
    fc.assert(
      fc.property(fc.constantFrom('asc' as const, 'desc' as const), maybeBound, maybeBound, (order, after, before) => {
        const limits = { ...LIMITS, requireBoundedAsc: false };
        expect(checkAscWindow({ order, after, before }, NOW, limits)).toBeUndefined();
      }),
    );
  });

  it('exempts block numbers in after, and before alone, from the window', () => {
    fc.assert(
      fc.property(fc.option(block, { nil: undefined }), anyBound, fc.integer(), (after, before, nowMs) => {
        expect(checkAscWindow({ order: 'asc', after, before }, nowMs, LIMITS)).toBeUndefined();
      }),
    );
  });

  it('refuses a date in after exactly when it is older than the window, whatever before says', () => {
    fc.assert(
      fc.property(time, maybeBound, fc.integer({ min: 1, max: 5000 }), (after, before, maxAscWindowDays) => {
        const violation = checkAscWindow({ order: 'asc', after, before }, NOW, { ...LIMITS, maxAscWindowDays });
        expect(violation !== undefined).toBe(NOW - after.timeMs > maxAscWindowDays * DAY_MS);
      }),
    );
  });
});
