import type { Aggregation, Query, Search } from '../client/search';
import { rangeLast, rangeStart } from '../indices/block-ranges';
import type { SequenceRange } from '../indices/sequence-range';
import { inSequences, scopeOfRange, type Scope } from './actions-scope';
import { onBranch, within, type BlockRange } from './branch-filter';
import type { Order } from '../indices/found-actions';
import { common, narrowToRow, type Bucket, type Counted, type RowInPart } from './row-location';
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

/** The most rows that a search itself skips; each shard sorts them. */
export const MAX_FROM = 9_000;
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
