import { HistoryError } from '@antelope-history/schemas';
import { type ActionsPage, type ActionsQuery, type ChainStatus, takeRows } from '@antelope-history/store';
import type { PageReader } from './page-reader';
import { PostingIntersection } from './posting-intersection';
import type { PostingSet } from './posting-set';
import type { SequenceRange } from './sequence-range';

/** Steps of a slice: about 2 ms. */
export const SLICE_STEPS = 20_000;
/** Steps of one search: about three seconds of one core. */
const MAX_STEPS = 30_000_000;

/** The snapshot that a search began with, and the sequences that it still searches. */
interface SearchBegin {
  status: ChainStatus;
  range: SequenceRange;
}

/**
 * The search for one page of the actions that all conditions on data match. Each slice has a snapshot of its own, so that a
 * long search holds none: without a fork, later snapshots have the same postings in the range of the first, unless blocks were
 * removed or repaired meanwhile. While a repair is not complete, each action is in the lists of its old values or of its new ones.
 */
export class DataSearch {
  private steps = 0;
  private begun: SearchBegin | undefined;
  /** Where the next slice begins. */
  private at = 0;
  /** Sequences found, at most one above the page's limit, and how many were skipped before them. */
  private found: number[] = [];
  private skipped = 0;
  /** The lowest sequence that was found or skipped. */
  private lowest = Infinity;

  constructor(
    private readonly query: ActionsQuery,
    private readonly limits = { sliceSteps: SLICE_STEPS, maxSteps: MAX_STEPS },
  ) {}

  /**
   * Searches the sets of the snapshot that `pages` and `status` are of for one slice. Returns the page when it is complete;
   * throws `QUERY_TOO_BROAD` after `maxSteps`. A search that meets a fork or a
   * complete repair begins again, and so does one that has found actions whose blocks were removed.
   */
  continue(
    sets: readonly PostingSet[],
    range: SequenceRange,
    status: ChainStatus,
    pages: PageReader,
  ): ActionsPage | undefined {
    const begun = this.begunOn(status, range);
    const direction = this.direction;
    const postings = new PostingIntersection(sets, begun.range, direction, this.limits.sliceSteps);
    const isComplete = this.collect(postings, direction === 'up' ? 1 : -1);
    this.steps += postings.steps;
    if (!isComplete && this.steps > this.limits.maxSteps) throw tooBroad();
    return isComplete ? this.page(begun.status, pages) : undefined;
  }

  private begunOn(status: ChainStatus, range: SequenceRange): SearchBegin {
    const isStored = this.begun?.status.revision === status.revision && this.lowest >= range.start;
    if (this.begun && isStored) return this.continueFrom(this.begun, range.start);
    this.begun = { status, range };
    this.at = this.direction === 'up' ? range.start : range.end - 1;
    this.found = [];
    this.skipped = 0;
    this.lowest = Infinity;
    return this.begun;
  }

  /** Cuts off the blocks below `start`, which were removed since the search began. */
  private continueFrom(begun: SearchBegin, start: number): SearchBegin {
    begun.range = { ...begun.range, start: Math.max(begun.range.start, start) };
    if (this.direction === 'up') this.at = Math.max(this.at, start);
    return begun;
  }

  /** The newest rows in ascending order are found downwards, too. */
  private get isReversed(): boolean {
    return this.query.window === 'newest' && this.query.order === 'asc';
  }

  private get direction(): 'up' | 'down' {
    return this.query.order === 'asc' && !this.isReversed ? 'up' : 'down';
  }

  /** Whether all postings of the page were found: one more than its limit shows whether any follow. */
  private collect(postings: PostingIntersection, step: 1 | -1): boolean {
    const { skip, limit } = this.query;
    while (this.found.length <= limit) {
      const next = postings.next(this.at);
      if (next === undefined) {
        this.at = postings.pausedAt ?? this.at;
        return postings.pausedAt === undefined;
      }
      this.lowest = Math.min(this.lowest, next);
      if (this.skipped < skip) this.skipped++;
      else this.found.push(next);
      this.at = next + step;
    }
    return true;
  }

  private page(status: ChainStatus, pages: PageReader): ActionsPage {
    const { limit } = this.query;
    const page = this.found.slice(0, limit);
    if (this.isReversed) page.reverse();
    const rows = takeRows(page, limit, (sequence) => pages.action(sequence));
    const isCut = rows.length < page.length;
    return { status, rows, more: isCut || (!this.isReversed && this.found.length > limit) };
  }
}

function tooBroad(): HistoryError {
  return new HistoryError(
    'QUERY_TOO_BROAD',
    'too many actions match one of the fields and not the others: narrow the query with after and before',
  );
}
