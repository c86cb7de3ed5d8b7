import fc from 'fast-check';
import { isListedPosition, listedNumbers } from './listed-positions';

describe('the listed positions of a chain', () => {
  it('are few, reach the first block, and list the newest blocks one by one', () => {
    const numbers = listedNumbers(2, 400_000_000);
    expect(numbers.length).toBeLessThan(900);
    expect(numbers[0]).toBe(2);
    expect(numbers.slice(-400)).toEqual(Array.from({ length: 400 }, (_, index) => 399_999_601 + index));
  });

  it('are all blocks of a short chain', () => {
    expect(listedNumbers(7, 9)).toEqual([7, 8, 9]);
    expect(listedNumbers(9, 9)).toEqual([9]);
    expect(listedNumbers(10, 9)).toEqual([]);
  });

  it('are those of `isListedPosition` and the first', () => {
    fc.assert(
      fc.property(fc.nat(3_000), fc.nat(20_000), (first, length) => {
        const head = first + length;
        const all = Array.from({ length: length + 1 }, (_, index) => first + index);
        expect(listedNumbers(first, head)).toEqual(all.filter((num) => num === first || isListedPosition(num, head)));
      }),
      { numRuns: 50 },
    );
  });

  it('are never needed again once they are left out', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 31), fc.nat(10_000_000), fc.nat(10_000_000), (num, distance, growth) => {
        const head = num + distance;
        if (!isListedPosition(num, head)) expect(isListedPosition(num, head + growth)).toBe(false);
      }),
    );
  });
});
