import { HistoryError } from '@antelope-history/schemas';
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
    const move = (set: PostingSet, sequence: number): number => set.from(sequence) ?? end;
    for (let next = this.find(start, move, start, end); next !== undefined;) {
      yield next;
      next = this.find(next + 1, move, start, end);
    }
  }

  /** From below `end` downwards to `start`. */
  *descending(end: number, start: number): Generator<number> {
    const move = (set: PostingSet, sequence: number): number => set.before(sequence + 1) ?? start - 1;
    for (let next = this.find(end - 1, move, start, end); next !== undefined;) {
      yield next;
      next = this.find(next - 1, move, start, end);
    }
  }

  /** Moves a sequence on until all sets have it; undefined when it leaves the range from `start` to below `end`. */
  private find(
    sequence: number,
    move: (set: PostingSet, sequence: number) => number,
    start: number,
    end: number,
  ): number | undefined {
    for (let agreed = 0, at = sequence; ;) {
      for (const set of this.sets) {
        if (at < start || at >= end) return undefined;
        if (++this.steps > MAX_STEPS) throw tooBroad();
        const moved = move(set, at);
        agreed = moved === at ? agreed + 1 : 1;
        at = moved;
        if (agreed >= this.sets.length) return at >= start && at < end ? at : undefined;
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
