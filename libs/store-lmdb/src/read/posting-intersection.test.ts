import { every } from '../../test/every-posting';
import { PostingIntersection } from './posting-intersection';

const COMMON = [every(6, 0), every(10, 0), every(1, 0)];
/** Never equal, so that each posting of one leads to the next one of the other. */
const DISJOINT = [every(2, 0), every(2, 1)];

function found(sets: typeof COMMON, range: { start: number; end: number }, direction: 'up' | 'down'): number[] {
  const postings = new PostingIntersection(sets, range, direction, Infinity);
  const sequences: number[] = [];
  const step = direction === 'up' ? 1 : -1;
  for (let at = direction === 'up' ? range.start : range.end - 1; ;) {
    const next = postings.next(at);
    if (next === undefined) return sequences;
    sequences.push(next);
    at = next + step;
  }
}

describe('PostingIntersection', () => {
  it('finds what all sets have, in both directions, within the range', () => {
    expect(found(COMMON, { start: 31, end: 121 }, 'up')).toEqual([60, 90, 120]);
    expect(found(COMMON, { start: 31, end: 121 }, 'down')).toEqual([120, 90, 60]);
    expect(found(COMMON, { start: 999_991, end: 1_000_001 }, 'up')).toEqual([]);
    expect(found(COMMON, { start: 0, end: 31 }, 'down')).toEqual([30, 0]);
  });

  it('pauses after the steps of a slice', () => {
    const postings = new PostingIntersection(DISJOINT, { start: 0, end: 1_000_001 }, 'up', 1_000);
    expect(postings.next(0)).toBeUndefined();
    expect(postings.steps).toBeGreaterThanOrEqual(1_000);
    expect(postings.steps).toBeLessThan(1_100);
    expect(postings.pausedAt).toBeGreaterThan(900);
  });

  it('pauses after fewer steps where each reads a chunk', () => {
    const sets = DISJOINT.map((set) => {
      const reading = {
        chunksRead: 0,
        from: (sequence: number) => {
          reading.chunksRead++;
          return set.from(sequence);
        },
      };
      return reading as unknown as typeof set;
    });
    const postings = new PostingIntersection(sets, { start: 0, end: 1_000_001 }, 'up', 10_000);
    expect(postings.next(0)).toBeUndefined();
    expect(postings.pausedAt).toBeLessThan(200);
    expect(postings.steps).toBeGreaterThanOrEqual(10_000);
  });

  it('reads no posting beyond the range', () => {
    for (const direction of ['up', 'down'] as const) {
      const postings = new PostingIntersection(DISJOINT, { start: 500_000, end: 510_000 }, direction, Infinity);
      expect(postings.next(direction === 'up' ? 500_000 : 509_999)).toBeUndefined();
      expect(postings.steps).toBeLessThan(10_010);
    }
  });
});
