import fc from 'fast-check';
import { Backoff } from './backoff';

describe('Backoff', () => {
  it('gives waits between half of a limit and all of it, which doubles up to the maximum', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.integer({ min: 1000, max: 60_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (min, max, random) => {
          const backoff = new Backoff(min, max, () => random);
          for (let attempt = 0; attempt < 60; attempt++) {
            const ceiling = Math.min(max, min * 2 ** Math.min(attempt, 30));
            expect(backoff.next()).toBeCloseTo(ceiling * (0.5 + random / 2), 6);
          }
          backoff.reset();
          expect(backoff.next()).toBeCloseTo(min * (0.5 + random / 2), 6);
        },
      ),
    );
  });
});
