import type { Aggregation, Query, Search } from '../client/search';
import { rangeStart } from '../indices/index-names';
import { inSequences, scopeOfBlocks, type Scope } from './actions-scope';
import { onBranch, within, type BlockRange } from './branch-filter';
import {
  common,
  fromPartOn,
  narrowToRow,
  partOfRow,
  type Bucket,
  type Counted,
  type Order,
  type RowInPart,
  type SequenceRange,
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

/** A row's position: in a range of sequences, after `from` other rows. */
export interface RowPosition {
  sequences: SequenceRange;
  from: number;
}

/** The most rows that a search itself skips; each shard sorts them. */
export const MAX_FROM = 9_000;
/** Counts per request; a long chain has some hundred indices. */
const INDICES_AT_ONCE = 32;

/**
 * Finds the row with `rowsBefore` rows before it, exactly and at any depth; undefined when there are fewer. Deep rows are
 * found by counting: first the rows of whole indices, then those of a thousand parts of one index, repeatedly.
 */
export async function locateRow(
  snapshot: Snapshot,
  selection: ActionSelection,
  rowsBefore: number,
): Promise<RowPosition | undefined> {
  const { scope, order } = selection;
  if (rowsBefore <= MAX_FROM) return { sequences: scope.sequences, from: rowsBefore };
  const found = await indexOfRow(snapshot, selection, rowsBefore);
  const located = found && (await locateInIndex(snapshot, selection, found, MAX_FROM));
  return located && { sequences: fromPartOn(located.part, scope.sequences, order), from: located.rowsBefore };
}

/** Finds a part of an index in which at most `maxBefore` rows precede the row, or one sequence. */
export async function locateInIndex(
  snapshot: Snapshot,
  selection: ActionSelection,
  found: RowInPart<BlockRange>,
  maxBefore: number,
): Promise<RowInPart<SequenceRange> | undefined> {
  const { scope, order } = selection;
  const blocks = within(found.part, scope.blocks);
  const inside = blocks && (await scopeOfBlocks(snapshot, blocks));
  if (!inside) return undefined;
  const row = { ...found, part: common(inside.sequences, scope.sequences) };
  return narrowToRow(row, order, maxBefore, (...parts) => countBuckets(snapshot, selection, inside.blocks, ...parts));
}

/** The index that holds the row. */
async function indexOfRow(
  snapshot: Snapshot,
  selection: ActionSelection,
  rowsBefore: number,
): Promise<RowInPart<BlockRange> | undefined> {
  let rest = rowsBefore;
  for await (const counted of countIndices(snapshot, selection)) {
    const row = partOfRow(counted, rest);
    if ('part' in row) return row;
    rest -= row.passed;
  }
  return undefined;
}

/** Counts the rows of every index in the order of the selection, some indices at a time. */
export async function* countIndices(
  snapshot: Snapshot,
  selection: ActionSelection,
): AsyncGenerator<Counted<BlockRange>[]> {
  const ranges = indexRanges(selection.scope.blocks, snapshot.progress.blocks_per_index);
  if (selection.order === 'desc') ranges.reverse();
  for (let start = 0; start < ranges.length; start += INDICES_AT_ONCE) {
    const some = ranges.slice(start, start + INDICES_AT_ONCE);
    const found = await snapshot.searcher.searchAll(some.map((range) => countSearch(snapshot, selection, range)));
    yield found.map(({ total, aggregations }, index) => ({
      part: some[index] as BlockRange,
      rows: total + furtherTraces(aggregations),
    }));
  }
}

/** The block ranges of the indices with some of the blocks, ascending. */
function indexRanges({ first, last }: BlockRange, blocksPerIndex: number): BlockRange[] {
  const ranges: BlockRange[] = [];
  for (let start = rangeStart(first, blocksPerIndex); start <= last; start += blocksPerIndex) {
    ranges.push({ first: start, last: start + blocksPerIndex - 1 });
  }
  return ranges;
}

/** Counts one index. A clean index that is wholly in scope needs no branch filter, so the server can cache its count. */
function countSearch({ names, progress }: Snapshot, selection: ActionSelection, range: BlockRange): Search {
  const { scope, wanted } = selection;
  const { blocks, sequences } = scope;
  const isWhole = range.first >= blocks.first && range.last <= Math.min(blocks.last, progress.clean_up_to);
  return {
    index: names.ranged('actions', range.first, progress.blocks_per_index),
    filters: isWhole ? wanted : [...wanted, ...inSequences(sequences), onBranch(progress, blocks)],
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
    index: names.ranged('actions', blocks.first, progress.blocks_per_index),
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
