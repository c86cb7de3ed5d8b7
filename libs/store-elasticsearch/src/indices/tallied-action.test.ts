import fc from 'fast-check';
import { decodeTallied, encodeTallied } from './tallied-action';

const name = fc.stringMatching(/^[a-z1-5.]{0,12}[a-z1-5]$/);
const accounts = fc.uniqueArray(name, { minLength: 1, maxLength: 5 });
const further = fc.option(fc.record({ authorizers: accounts, count: fc.integer({ min: 1, max: 5_000 }) }), {
  nil: undefined,
});

describe('what the directory counts of an action', () => {
  it('is read as it was written, also of an action without a name', () => {
    fc.assert(
      fc.property(name, fc.oneof(name, fc.constant('')), accounts, further, (account, action, all, traces) => {
        expect(decodeTallied(encodeTallied({ account, name: action, accounts: all }, traces))).toEqual({
          accounts: all,
          contract: account,
          name: action,
          authorizers: traces?.authorizers ?? [],
          furtherTraces: traces?.count ?? 0,
        });
      }),
      { seed: 9, numRuns: 200 },
    );
  });
});
