import fc from 'fast-check';
import { checkAscWindow } from './asc-window-guard';

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
  ])('applies the window to the millisecond: after %d', (timeMs, code) => {
    expect(checkAscWindow({ order: 'asc', after: { timeMs } }, NOW, LIMITS)?.code).toBe(code);
  });

  it('names the length of the window and the alternative', () => {
    const violation = checkAscWindow({ order: 'asc', after: { timeMs: 0 } }, NOW, { ...LIMITS, maxAscWindowDays: 7 });
    expect(violation?.message).toMatch(/last 7 days.*block number/);
  });

  it('allows every descending query', () => {
    fc.assert(
      fc.property(maybeBound, maybeBound, fc.integer(), (after, before, nowMs) => {
        expect(checkAscWindow({ order: 'desc', after, before }, nowMs, LIMITS)).toBeUndefined();
      }),
    );
  });

  it('allows every query when it is switched off', () => {
    fc.assert(
      fc.property(fc.constantFrom('asc' as const, 'desc' as const), maybeBound, maybeBound, (order, after, before) => {
        const limits = { ...LIMITS, requireBoundedAsc: false };
        expect(checkAscWindow({ order, after, before }, NOW, limits)).toBeUndefined();
      }),
    );
  });

  it('does not apply the window to block numbers in after, or to before alone', () => {
    fc.assert(
      fc.property(fc.option(block, { nil: undefined }), anyBound, fc.integer(), (after, before, nowMs) => {
        expect(checkAscWindow({ order: 'asc', after, before }, nowMs, LIMITS)).toBeUndefined();
      }),
    );
  });

  it('refuses a date in after if and only if it is older than the window, for any before', () => {
    fc.assert(
      fc.property(time, maybeBound, fc.integer({ min: 1, max: 5000 }), (after, before, maxAscWindowDays) => {
        const violation = checkAscWindow({ order: 'asc', after, before }, NOW, { ...LIMITS, maxAscWindowDays });
        expect(violation !== undefined).toBe(NOW - after.timeMs > maxAscWindowDays * DAY_MS);
      }),
    );
  });
});
