import fc from 'fast-check';
import { BlockRanges } from './block-ranges';

describe('a set of block numbers', () => {
  it('has the numbers that were added, as the fewest ascending ranges', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(40)), fc.nat(), (nums, cut) => {
        const before = new BlockRanges();
        const at = nums.length === 0 ? 0 : cut % nums.length;
        for (const num of nums.slice(0, at)) before.add(num);
        // A checkpoint stores the ranges, and another run continues with them.
        const set = new BlockRanges(before.ranges);
        for (const num of nums.slice(at)) set.add(num);
        const expected = [...new Set(nums)].sort((left, right) => left - right);
        expect([...set]).toEqual(expected);
        expect(set.count).toBe(expected.length);
        const starts = expected.filter((num) => !expected.includes(num - 1));
        expect(set.ranges.map(([first]) => first)).toEqual(starts);
      }),
    );
  });

  it('does not change the ranges that it was made of', () => {
    const ranges: [number, number][] = [[1, 2]];
    new BlockRanges(ranges).add(3);
    expect(ranges).toEqual([[1, 2]]);
  });
});
