import { PostingIntersection } from './posting-intersection';
import type { PostingSet } from './posting-set';

/** Every `step`th sequence from `first` on, up to a million. */
function every(step: number, first: number): PostingSet {
  const last = first + Math.floor((1_000_000 - first) / step) * step;
  const set: Pick<PostingSet, 'from' | 'before'> = {
    from: (sequence) => {
      const next = first + Math.max(0, Math.ceil((sequence - first) / step)) * step;
      return next > last ? undefined : next;
    },
    before: (sequence) => {
      const next = first + Math.floor((sequence - 1 - first) / step) * step;
      return next < first ? undefined : Math.min(next, last);
    },
  };
  return set as PostingSet;
}

const common = () => new PostingIntersection([every(6, 0), every(10, 0), every(1, 0)]);
/** Never equal, so that each posting of one leads to the next one of the other. */
const disjoint = () => new PostingIntersection([every(2, 0), every(2, 1)]);

describe('PostingIntersection', () => {
  it('finds what all sets have, in both directions, within the range', () => {
    expect([...common().ascending(31, 121)]).toEqual([60, 90, 120]);
    expect([...common().descending(121, 31)]).toEqual([120, 90, 60]);
    expect([...common().ascending(999_991, 1_000_001)]).toEqual([]);
    expect([...common().descending(30, 0)]).toEqual([0]);
  });

  it('refuses to search on when too many postings are those of one set only', () => {
    const tooBroad = expect.objectContaining({ code: 'QUERY_TOO_BROAD' }) as unknown;
    expect(() => [...disjoint().ascending(0, 1_000_001)]).toThrow(tooBroad as Error);
    expect(() => [...disjoint().descending(1_000_001, 0)]).toThrow(tooBroad as Error);
  });

  it('reads no posting beyond a range that narrows the search', () => {
    expect([...disjoint().ascending(500_000, 510_000)]).toEqual([]);
    expect([...disjoint().descending(510_000, 500_000)]).toEqual([]);
  });
});
