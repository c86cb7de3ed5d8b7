import type { Aggregation, Query, Search } from '../client/search';
import { type BlockRange, rangeLast, rangeStart } from '../indices/block-ranges';
import type { ProgressDocument } from '../indices/documents';
import type { SequenceRange } from '../indices/sequence-range';
import { inSequences, scopeOfRange, type Scope } from './actions-scope';
import { onBranch, within } from './branch-filter';
import type { Order } from '../indices/found-actions';
import {
  commonSequences,
  narrowToRow,
  partOfRow,
  partsOf,
  type Bucket,
  type CountBuckets,
  type Counted,
  type RowInPart,
} from './row-location';
import type { QueryState } from './query-state';

/** All actions that a query matches, in an order. */
export interface ActionSelection {
  scope: Scope;
  /** The query's filters besides the scope and the branch. */
  filters: Query[];
  /** Matches the actions of which each further trace is a row, too; without it, each action is one row. */
  withFurtherTraces?: Query;
  order: Order;
}

/** The most rows that a search itself skips where it is not known how many rows there are; each shard sorts them. */
export const MAX_SKIP_BY_SEARCH = 9_000;
/** Above this, counting is faster: the server skips 1,000 rows in 2 ms and 5,000 in 7 ms, and counts 5,000 in parts in 1.6 ms. */
export const MAX_SKIP_WITHOUT_COUNTING = 1_000;
/** Of the newest sequences, this many are counted for each row to skip: enough for a list that has every 16th action of the chain. */
const SEQUENCES_PER_SKIPPED_ROW = 16;
/** When more rows are to be skipped, whole ranges are counted at once: a list that ends before the row would be counted twice. */
const MAX_SKIP_NEAR_END = 1_000_000;
/** The number of parts in which the newest sequences are counted: the page begins within one, so that few rows are left to skip. */
const NEAR_PARTS = { least: 250, most: 1_000 };
/** The number of ranges that are counted in one request. */
const RANGES_AT_ONCE = 32;

/** Narrows a range to a part in which at most `maxBefore` rows precede the wanted row, or to a single sequence. */
export async function locateInRange(
  state: QueryState,
  selection: ActionSelection,
  found: RowInPart<BlockRange>,
  maxBefore: number,
): Promise<RowInPart<SequenceRange> | undefined> {
  const { scope, order } = selection;
  const blocks = within(found.part, scope.blocks);
  const inside = blocks && (await scopeOfRange(state, blocks));
  if (!inside) return undefined;
  const row = { ...found, part: commonSequences(inside.sequences, scope.sequences) };
  return narrowToRow(row, order, maxBefore, createBucketCount(state, selection, inside.blocks));
}

/**
 * Finds the row that has `rowsBefore` rows before it in a descending list, by counting the newest sequences of the scope. Returns a part
 * with the row, of which at most `MAX_SKIP_WITHOUT_COUNTING` rows precede it. Only `newest` is counted, the first range of the list.
 * Undefined when the row is not among these sequences, when the search itself can skip to it, or when it is too far away.
 */
export async function locateNearEnd(
  state: QueryState,
  selection: ActionSelection,
  newest: BlockRange | undefined,
  rowsBefore: number,
): Promise<RowInPart<SequenceRange> | undefined> {
  const { scope, order } = selection;
  const { progress } = state;
  const blocks = newest && within(newest, scope.blocks);
  const { start, end } = commonSequences(scope.sequences, { start: 0, end: progress.end_sequence });
  if (!blocks || rowsBefore <= MAX_SKIP_WITHOUT_COUNTING || rowsBefore > MAX_SKIP_NEAR_END) return undefined;
  if (rowsBefore >= Math.min(end - start, mostActionsIn(newest, progress))) return undefined;
  const width = Math.min(end - start, SEQUENCES_PER_SKIPPED_ROW * rowsBefore);
  // The width is an estimate; all rows from there on are counted.
  const near = { start: end - width, end: scope.sequences.end };
  const parts = Math.min(NEAR_PARTS.most, Math.max(NEAR_PARTS.least, Math.ceil(width / MAX_SKIP_WITHOUT_COUNTING)));
  const interval = Math.ceil(width / parts);
  const countBuckets = createBucketCount(state, selection, blocks);
  const buckets = await countBuckets(near, interval, near.start % interval);
  const found = partOfRow(partsOf(buckets, interval, order), rowsBefore);
  if (!('part' in found)) return undefined;
  return narrowToRow(
    { ...found, part: commonSequences(found.part, near) },
    order,
    MAX_SKIP_WITHOUT_COUNTING,
    countBuckets,
  );
}

/** A bound on the number of actions in a range; only that of the newest one is known. Actions of undone blocks count, too. */
function mostActionsIn({ first }: BlockRange, progress: ProgressDocument): number {
  const counted = progress.ranges?.newest;
  return counted?.first === rangeStart(first, progress) ? counted.actions : Infinity;
}

/** Counts the rows of each range, some ranges at a time. */
export async function countRanges(
  state: QueryState,
  selection: ActionSelection,
  ranges: readonly BlockRange[],
): Promise<Counted<BlockRange>[]> {
  const counted: Counted<BlockRange>[] = [];
  for (let start = 0; start < ranges.length; start += RANGES_AT_ONCE) {
    const some = ranges.slice(start, start + RANGES_AT_ONCE);
    const found = await state.searcher.searchAll(some.map((range) => countSearch(state, selection, range)));
    for (const [index, { total, aggregations }] of found.entries()) {
      counted.push({ part: some[index] as BlockRange, rows: total + furtherTraces(aggregations) });
    }
  }
  return counted;
}

/**
 * Counts one range. A whole range without orphans needs no branch filter, so the server can cache its count. If the history
 * begins in the middle of a range, the range is not whole: its index may have blocks from before the history.
 */
function countSearch({ names, progress }: QueryState, selection: ActionSelection, range: BlockRange): Search {
  const { scope } = selection;
  const { blocks, sequences } = scope;
  const last = rangeLast(range.first, progress);
  const isWhole =
    range.first === rangeStart(range.first, progress) && last <= Math.min(blocks.last, progress.clean_up_to);
  return {
    index: names.ranged('actions', range.first, progress),
    filters: isWhole
      ? selection.filters
      : [...selection.filters, ...inSequences(sequences), onBranch(progress, within(blocks, range) ?? blocks)],
    count: true,
    aggregations: furtherTracesOf(selection),
  };
}

/** Counts the rows of a selection in blocks of one range. */
function createBucketCount(
  { searcher, names, progress }: QueryState,
  selection: ActionSelection,
  blocks: BlockRange,
): CountBuckets {
  return async (sequences, interval, offset) => {
    const { aggregations } = await searcher.search({
      index: names.ranged('actions', blocks.first, progress),
      filters: [...selection.filters, ...inSequences(sequences), onBranch(progress, blocks)],
      aggregations: {
        parts: {
          histogram: { field: 'sequence', interval, offset, min_doc_count: 1 },
          aggregations: furtherTracesOf(selection),
        },
      },
    });
    const { buckets } = aggregations['parts'] as { buckets: (Bucket & Record<string, unknown>)[] };
    return buckets.map((bucket) => ({ key: bucket.key, doc_count: bucket.doc_count + furtherTraces(bucket) }));
  };
}

function furtherTracesOf({ withFurtherTraces }: ActionSelection): Record<string, Aggregation> {
  if (!withFurtherTraces) return {};
  return { further: { filter: withFurtherTraces, aggregations: { traces: { sum: { field: 'further_traces' } } } } };
}

/** The number of further traces in the results of `furtherTracesOf`. */
function furtherTraces({ further }: Record<string, unknown>): number {
  return (further as { traces: { value: number } } | undefined)?.traces.value ?? 0;
}
