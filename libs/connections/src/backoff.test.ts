import fc from 'fast-check';
import { Backoff } from './backoff';

describe('Backoff', () => {
  it('waits between half and all of a time that doubles up to its limit', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.integer({ min: 1000, max: 60_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (min, max, chance) => {
          const backoff = new Backoff(min, max, () => chance);
          for (let tries = 0; tries < 60; tries++) {
            const ceiling = Math.min(max, min * 2 ** Math.min(tries, 30));
            expect(backoff.next()).toBeCloseTo(ceiling * (0.5 + chance / 2), 6);
          }
          backoff.reset();
          expect(backoff.next()).toBeCloseTo(min * (0.5 + chance / 2), 6);
        },
      ),
    );
  });
});
