import type { PostingSet } from './posting-set';
import type { SequenceRange } from './sequence-range';

/** Steps that take as long as reading a chunk; a step takes about 0.1 µs. */
const STEPS_PER_CHUNK = 160;
/** Rounds of all sets between two looks at the work that was done. */
const ROUNDS_PER_LOOK = 16;

/**
 * The postings within a range that all of several sets have. Unlike those of a union they cannot be counted, so that they are
 * found one by one: each set in turn continues at the posting that the last one found. Searches for `sliceSteps` at a time.
 */
export class PostingIntersection {
  /** Where the search stands when `next` found nothing because the slice is over; undefined when nothing follows. */
  pausedAt: number | undefined;
  private taken = 0;
  private rounds = 0;

  constructor(
    private readonly sets: readonly PostingSet[],
    private readonly range: SequenceRange,
    private readonly direction: 'up' | 'down',
    private readonly sliceSteps: number,
  ) {}

  /** The work so far, in steps. */
  get steps(): number {
    let chunks = 0;
    for (const set of this.sets) chunks += set.chunksRead;
    return this.taken + chunks * STEPS_PER_CHUNK;
  }

  /** The next posting from `sequence` (included) on in the direction of the search. */
  next(sequence: number): number | undefined {
    const { start, end } = this.range;
    for (let agreed = 0, at = sequence; ;) {
      // Each round moves on, so that a slice of several does.
      if (++this.rounds % ROUNDS_PER_LOOK === 0 && this.steps >= this.sliceSteps) {
        this.pausedAt = at;
        return undefined;
      }
      for (const set of this.sets) {
        if (at < start || at >= end) return undefined;
        this.taken++;
        const moved = this.direction === 'up' ? set.from(at) : set.before(at + 1);
        if (moved === undefined || moved < start || moved >= end) return undefined;
        agreed = moved === at ? agreed + 1 : 1;
        at = moved;
        if (agreed >= this.sets.length) return at;
      }
    }
  }
}
