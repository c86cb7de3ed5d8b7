import { HistoryError } from '@antelope-history/schemas';
import { MAX_SEQUENCE } from '../format/keys';
import type { PostingSet } from './posting-set';

/** Steps of one query: about a third of a second. */
const MAX_STEPS = 300_000;

/**
 * The postings that all of several sets have. Unlike those of a union they cannot be counted, so that they are found one by one:
 * each set in turn continues at the posting that the last one found. Throws `QUERY_TOO_BROAD` after `MAX_STEPS`.
 */
export class PostingIntersection {
  private steps = 0;

  constructor(private readonly sets: readonly PostingSet[]) {}

  /** From `start` upwards and below `end`. */
  *ascending(start: number, end: number): Generator<number> {
    for (let from = start; ;) {
      const next = this.find(from, (set, sequence) => set.from(sequence) ?? MAX_SEQUENCE);
      if (next >= end) return;
      yield next;
      from = next + 1;
    }
  }

  /** From below `end` downwards to `start`. */
  *descending(end: number, start: number): Generator<number> {
    for (let from = end - 1; ;) {
      const next = this.find(from, (set, sequence) => set.before(sequence + 1) ?? -1);
      if (next < start) return;
      yield next;
      from = next - 1;
    }
  }

  /** Moves a sequence on until all sets have it, or one has no more. */
  private find(sequence: number, move: (set: PostingSet, sequence: number) => number): number {
    for (let agreed = 0, at = sequence; ;) {
      for (const set of this.sets) {
        if (at < 0 || at >= MAX_SEQUENCE) return at;
        if (++this.steps > MAX_STEPS) throw tooBroad();
        const moved = move(set, at);
        agreed = moved === at ? agreed + 1 : 1;
        at = moved;
        if (agreed >= this.sets.length) return at;
      }
    }
  }
}

function tooBroad(): HistoryError {
  return new HistoryError(
    'QUERY_TOO_BROAD',
    'too many actions match one of the fields and not the others: narrow the query with after and before',
  );
}
