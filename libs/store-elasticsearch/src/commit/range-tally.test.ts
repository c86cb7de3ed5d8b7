import fc from 'fast-check';
import { type DirectoryEntry, MAX_ACTION_COUNTS, WHOLE_CHAIN } from '../indices/directory';
import type { TalliedAction } from '../indices/tallied-action';
import { RangeTally } from './range-tally';

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g');
const action: fc.Arbitrary<TalliedAction> = fc.record({
  accounts: fc.uniqueArray(name, { minLength: 1, maxLength: 4 }),
  contract: name,
  name: fc.constantFrom('x', 'y', ''),
  authorizers: fc.uniqueArray(name, { maxLength: 2 }),
  furtherTraces: fc.nat(3),
});

/** Counts in as many passes as the size needs. */
function tallyAll(actions: readonly TalliedAction[], maxSize: number) {
  const entries = new Map<string, DirectoryEntry>();
  let passes = 0;
  let start: number | undefined = 0;
  while (start !== undefined) {
    const tally: RangeTally = new RangeTally(start, maxSize);
    for (const each of actions) tally.add(each);
    for (const [account, entry] of tally.entries(40)) {
      expect(entries.has(account)).toBe(false);
      entries.set(account, entry);
    }
    start = tally.next;
    passes++;
  }
  return { entries, passes };
}

describe('the tally of a range', () => {
  it('counts the same in one pass and in many', () => {
    let most = 0;
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60, size: 'max' }), (actions) => {
        const whole = tallyAll(actions, 1_000_000);
        const parts = tallyAll(actions, 12);
        expect(whole.passes).toBe(1);
        expect(parts.entries).toEqual(whole.entries);
        most = Math.max(most, parts.passes);
        for (const [account, { rows, traces, actions: counts }] of whole.entries) {
          const own = actions.filter(({ accounts }) => account === WHOLE_CHAIN || accounts.includes(account));
          const further = own.filter(({ authorizers }) => account === WHOLE_CHAIN || authorizers.includes(account));
          expect(rows).toBe(own.length);
          expect(traces).toBe(further.reduce((sum, each) => sum + each.furtherTraces, rows));
          if (account === WHOLE_CHAIN) continue;
          expect(Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0)).toBe(rows);
        }
      }),
      { seed: 5, numRuns: 200 },
    );
    expect(most).toBeGreaterThan(2);
  });

  it('gives up the counts of an account with more distinct actions than the limit', () => {
    const actions = Array.from({ length: MAX_ACTION_COUNTS + 1 }, (_, index) => ({
      accounts: ['spam'],
      contract: 'spam',
      name: `n${index}`,
      authorizers: [],
      furtherTraces: 0,
    }));
    const [upTo, beyond] = [tallyAll(actions.slice(0, -1), 1e6), tallyAll(actions, 1e6)];
    expect(Object.keys(upTo.entries.get('spam')?.actions ?? {})).toHaveLength(MAX_ACTION_COUNTS);
    expect(beyond.entries.get('spam')).toEqual({
      range: 40,
      rows: MAX_ACTION_COUNTS + 1,
      traces: MAX_ACTION_COUNTS + 1,
    });
  });
});
