import fc from 'fast-check';
import { rangeStarts } from './block-ranges';
import { directoryIndex, directoryIndices } from './directory';
import { IndexNames } from './index-names';
import { emptyProgress } from './progress';

const BLOCKS_PER_INDEX = 100;
const BLOCKS = { first: 0, last: 20_000 };

function progressWith(starts: readonly number[]): ReturnType<typeof emptyProgress> {
  return { ...emptyProgress(BLOCKS_PER_INDEX), ranges: { starts, unwritten_from: BLOCKS.last + 1 } };
}

describe('the indices of the directory', () => {
  const names = new IndexNames('test');
  const ascending = fc
    .uniqueArray(fc.integer({ min: 1, max: BLOCKS.last }), { minLength: 100, maxLength: 400, size: 'max' })
    .map((starts) => starts.sort((one, other) => one - other));

  it('have the entries of at most 128 ranges each, and are those of the blocks', () => {
    fc.assert(
      fc.property(ascending, (starts) => {
        const progress = progressWith(starts);
        const ranges = new Map<string, number>();
        for (const range of rangeStarts(BLOCKS, progress)) {
          const index = directoryIndex(names, range, progress);
          ranges.set(index, (ranges.get(index) ?? 0) + 1);
        }
        expect(Math.max(...ranges.values())).toBeLessThanOrEqual(128);
        expect(directoryIndices(names, BLOCKS, progress)).toEqual([...ranges.keys()]);
      }),
    );
  });

  it('stay the same for the ranges that they have when further ranges begin', () => {
    fc.assert(
      fc.property(ascending, fc.nat(99), (starts, count) => {
        const [before, after] = [progressWith(starts.slice(0, count)), progressWith(starts)];
        const last = (starts[count] ?? 0) - 1;
        for (const range of rangeStarts({ first: 0, last }, before)) {
          expect(directoryIndex(names, range, after)).toBe(directoryIndex(names, range, before));
        }
      }),
    );
  });
});
