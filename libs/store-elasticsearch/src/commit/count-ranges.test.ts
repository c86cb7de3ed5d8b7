import type { JournalDocument, ProgressDocument } from '../indices/documents';
import { emptyProgress } from '../indices/progress';
import { withRangesCounted } from './count-ranges';

const LIMIT = 100;

/** A progress that has moved to a block. */
function movedTo(num: number, ranges: ProgressDocument['ranges']): ProgressDocument {
  return { ...emptyProgress(1_000), committed: { num, id: num.toString(16).padStart(64, '0') }, ranges };
}

/** The journal entries of the blocks from `first` on, each with as many actions as listed. */
function blocksWith(first: number, ...actions: number[]): JournalDocument[] {
  return actions.map((count, index) => {
    const position = { num: first + index, id: '' };
    return { position, counts: { actions: count, abis: 0, permissions: 0 } } as JournalDocument;
  });
}

describe('withRangesCounted', () => {
  it('counts the actions of the newest range only', () => {
    const one = withRangesCounted(movedTo(11, { starts: [], unwritten_from: 50 }), blocksWith(10, 20, 30), LIMIT);
    expect(one.ranges).toEqual({ starts: [], unwritten_from: 50, newest: { first: 0, actions: 50 } });
    const other = withRangesCounted({ ...one, ...movedTo(1_000, one.ranges) }, blocksWith(999, 90, 5), LIMIT);
    expect(other.ranges).toMatchObject({ starts: [], newest: { first: 1_000, actions: 5 } });
  });

  it('begins another range at the first block that may still be written anywhere', () => {
    const ranges = { starts: [3], unwritten_from: 50, newest: { first: 3, actions: 70 } };
    expect(withRangesCounted(movedTo(10, ranges), blocksWith(10, 30), LIMIT).ranges).toMatchObject({ starts: [3, 50] });
    expect(withRangesCounted(movedTo(10, ranges), blocksWith(10, 29), LIMIT).ranges).toMatchObject({ starts: [3] });
  });

  it.each([
    ['ends before that block anyway, with a multiple of blocks_per_index', { starts: [3], unwritten_from: 1_000 }],
    ['was ended there already', { starts: [3, 50], unwritten_from: 50 }],
    ['was ended before that block', { starts: [3, 50], unwritten_from: 80 }],
    ['has blocks of a process that has reserved none', { starts: [3], unwritten_from: 10 }],
  ])('begins none while the newest range is full but %s', (_why, { starts, unwritten_from }) => {
    const ranges = { starts, unwritten_from, newest: { first: 3, actions: LIMIT } };
    expect(withRangesCounted(movedTo(10, ranges), blocksWith(10, 30), LIMIT).ranges?.starts).toEqual(starts);
  });

  it('begins at most 10,000 ranges: every commit writes them all', () => {
    const starts = Array.from({ length: 10_000 }, (_, index) => index);
    const ranges = { starts: starts.slice(0, -1), unwritten_from: 20_500, newest: { first: 20_000, actions: LIMIT } };
    const full = withRangesCounted(movedTo(20_400, ranges), blocksWith(20_400, 1), LIMIT);
    expect(full.ranges?.starts).toHaveLength(10_000);
    const more = { ...full.ranges, starts, unwritten_from: 20_500, newest: { first: 20_000, actions: LIMIT } };
    expect(withRangesCounted(movedTo(20_400, more), blocksWith(20_400, 1), LIMIT).ranges?.starts).toHaveLength(10_000);
  });

  it('changes nothing in a store whose ranges an earlier version has begun', () => {
    const { ranges: _ranges, ...earlier } = movedTo(10, undefined);
    expect(withRangesCounted(earlier, blocksWith(10, LIMIT), LIMIT)).toBe(earlier);
  });
});
