import type { Aggregation, Query, Search } from '../client/search';
import { rangeLast, rangeStart } from '../indices/block-ranges';
import type { ProgressDocument } from '../indices/documents';
import type { SequenceRange } from '../indices/sequence-range';
import { inSequences, scopeOfRange, type Scope } from './actions-scope';
import { onBranch, within, type BlockRange } from './branch-filter';
import type { Order } from '../indices/found-actions';
import {
  common,
  narrowToRow,
  partOfRow,
  partsOf,
  type Bucket,
  type CountBuckets,
  type Counted,
  type RowInPart,
} from './row-location';
import type { Snapshot } from './snapshot';

/** All actions that a query matches, in an order. */
export interface ActionSelection {
  scope: Scope;
  /** The query's filters besides the scope and the branch. */
  wanted: Query[];
  /** Matches the actions of which each further trace is a row, too; without it, each action is one row. */
  withFurtherTraces?: Query;
  order: Order;
}

/** The most rows that a search itself skips where it is not known how many rows there are; each shard sorts them. */
export const MAX_FROM = 9_000;
/** To skip more rows takes the server longer than to count them in parts: 1,000 rows 2 ms, 5,000 rows 7 ms, to count these 1.6 ms. */
export const FAR_FROM = 1_000;
/** For each row to skip, the rows of so many of the newest sequences are counted: those of longer lists are among them. */
const NEAR_SEQUENCES = 16;
/** To skip more rows, ranges are counted first: a list that ends before would be counted twice. */
const MOST_NEAR = 1_000_000;
/** The number of parts in which the newest sequences are counted: the page begins within one, so that few rows are left to skip. */
const NEAR_PARTS = { least: 250, most: 1_000 };
/** The number of ranges that are counted in one request. */
const RANGES_AT_ONCE = 32;

/** Narrows a range to a part in which at most `maxBefore` rows precede the wanted row, or to a single sequence. */
export async function locateInRange(
  snapshot: Snapshot,
  selection: ActionSelection,
  found: RowInPart<BlockRange>,
  maxBefore: number,
): Promise<RowInPart<SequenceRange> | undefined> {
  const { scope, order } = selection;
  const blocks = within(found.part, scope.blocks);
  const inside = blocks && (await scopeOfRange(snapshot, blocks));
  if (!inside) return undefined;
  const row = { ...found, part: common(inside.sequences, scope.sequences) };
  return narrowToRow(row, order, maxBefore, (...parts) => countBuckets(snapshot, selection, inside.blocks, ...parts));
}

/**
 * Finds a part with the row that has `rowsBefore` rows before it in a descending list, among the newest sequences of the scope; at
 * most `FAR_FROM` rows of the part precede the row. Undefined when the row is not there, not in `newest`, the first range of the
 * list (rows of other ranges follow those of the first), or so near that it can be skipped to.
 */
export async function locateNearEnd(
  snapshot: Snapshot,
  selection: ActionSelection,
  newest: BlockRange | undefined,
  rowsBefore: number,
): Promise<RowInPart<SequenceRange> | undefined> {
  const { scope, order } = selection;
  const { progress } = snapshot;
  const blocks = newest && within(newest, scope.blocks);
  const { start, end } = common(scope.sequences, { start: 0, end: progress.end_sequence });
  if (!blocks || rowsBefore <= FAR_FROM || rowsBefore > MOST_NEAR) return undefined;
  if (rowsBefore >= Math.min(end - start, mostActionsIn(newest, progress))) return undefined;
  const width = Math.min(end - start, NEAR_SEQUENCES * rowsBefore);
  // The width is an estimate; all rows from there on are counted.
  const near = { start: end - width, end: scope.sequences.end };
  const parts = Math.min(NEAR_PARTS.most, Math.max(NEAR_PARTS.least, Math.ceil(width / FAR_FROM)));
  const interval = Math.ceil(width / parts);
  const count: CountBuckets = (...part) => countBuckets(snapshot, selection, blocks, ...part);
  const buckets = await count(near, interval, near.start % interval);
  const found = partOfRow(partsOf(buckets, interval, order), rowsBefore);
  if (!('part' in found)) return undefined;
  return narrowToRow({ ...found, part: common(found.part, near) }, order, FAR_FROM, count);
}

/** A bound on the number of actions in a range; only that of the newest one is known. Actions of undone blocks count, too. */
function mostActionsIn({ first }: BlockRange, progress: ProgressDocument): number {
  const counted = progress.ranges?.newest;
  return counted?.first === rangeStart(first, progress) ? counted.actions : Infinity;
}

/** Counts the rows of each range, some ranges at a time. */
export async function countRanges(
  snapshot: Snapshot,
  selection: ActionSelection,
  ranges: readonly BlockRange[],
): Promise<Counted<BlockRange>[]> {
  const counted: Counted<BlockRange>[] = [];
  for (let start = 0; start < ranges.length; start += RANGES_AT_ONCE) {
    const some = ranges.slice(start, start + RANGES_AT_ONCE);
    const found = await snapshot.searcher.searchAll(some.map((range) => countSearch(snapshot, selection, range)));
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
function countSearch({ names, progress }: Snapshot, selection: ActionSelection, range: BlockRange): Search {
  const { scope, wanted } = selection;
  const { blocks, sequences } = scope;
  const last = rangeLast(range.first, progress);
  const isWhole =
    range.first === rangeStart(range.first, progress) &&
    range.first >= blocks.first &&
    last <= Math.min(blocks.last, progress.clean_up_to);
  return {
    index: names.ranged('actions', range.first, progress),
    filters: isWhole
      ? wanted
      : [...wanted, ...inSequences(sequences), onBranch(progress, within(blocks, range) ?? blocks)],
    count: true,
    aggregations: furtherTracesOf(selection),
  };
}

async function countBuckets(
  { searcher, names, progress }: Snapshot,
  selection: ActionSelection,
  blocks: BlockRange,
  sequences: SequenceRange,
  interval: number,
  offset: number,
): Promise<Bucket[]> {
  const { aggregations } = await searcher.search({
    index: names.ranged('actions', blocks.first, progress),
    filters: [...selection.wanted, ...inSequences(sequences), onBranch(progress, blocks)],
    aggregations: {
      parts: {
        histogram: { field: 'sequence', interval, offset, min_doc_count: 1 },
        aggregations: furtherTracesOf(selection),
      },
    },
  });
  const { buckets } = aggregations['parts'] as { buckets: (Bucket & Record<string, unknown>)[] };
  return buckets.map((bucket) => ({ key: bucket.key, doc_count: bucket.doc_count + furtherTraces(bucket) }));
}

function furtherTracesOf({ withFurtherTraces }: ActionSelection): Record<string, Aggregation> {
  if (!withFurtherTraces) return {};
  return { further: { filter: withFurtherTraces, aggregations: { traces: { sum: { field: 'further_traces' } } } } };
}

/** The number of further traces in the results of `furtherTracesOf`. */
function furtherTraces({ further }: Record<string, unknown>): number {
  return (further as { traces: { value: number } } | undefined)?.traces.value ?? 0;
}
