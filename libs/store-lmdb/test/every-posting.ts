import type { PostingSet } from '../src/read/posting-set';

/** Every `step`th sequence from `first` on, up to `limit`. */
export function every(step: number, first: number, limit = 1_000_000): PostingSet {
  const last = first + Math.floor((limit - first) / step) * step;
  const set: Pick<PostingSet, 'from' | 'before' | 'chunksRead'> = {
    chunksRead: 0,
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
