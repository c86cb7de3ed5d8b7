import fc from 'fast-check';
import { samplePositions } from './progress';

describe('samplePositions', () => {
  it('keeps the oldest and the newest, in order, and few', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5_000 }), (length) => {
        const positions = Array.from({ length }, (_, index) => index);
        const sample = samplePositions(positions);
        expect(sample).toEqual([...new Set(sample)].sort((left, right) => left - right));
        expect(sample.length).toBeLessThanOrEqual(25);
        if (length > 0) expect([sample[0], sample.at(-1)]).toEqual([0, length - 1]);
        expect(sample.slice(-Math.min(8, length))).toEqual(positions.slice(-Math.min(8, length)));
      }),
    );
  });
});
