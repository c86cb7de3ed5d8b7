import type { Query, Search } from '../client/search';
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

/** All the actions that a query may show, in an order. */
export interface ActionSelection {
  scope: Scope;
  /** What the query wants, besides the scope and the branch. */
  wanted: Query[];
  order: Order;
}

/** Where a row stands: in a range of sequences, after so many others. */
export interface RowPlace {
  sequences: SequenceRange;
  from: number;
}

/** So many rows are passed over by the search itself; each shard sorts them. */
export const MAX_FROM = 9_000;
/** Counts asked for together; a long chain has some hundred indices. */
const INDICES_AT_ONCE = 32;

/**
 * Finds the row with so many rows before it, exactly and at any depth; undefined when there are not so many. Deep ones are
 * found by counting: first the rows of whole indices, then those of a thousand parts of one index, as often as it takes.
 */
export async function placeOf(
  snapshot: Snapshot,
  selection: ActionSelection,
  rowsBefore: number,
): Promise<RowPlace | undefined> {
  const { scope, order } = selection;
  if (rowsBefore <= MAX_FROM) return { sequences: scope.sequences, from: rowsBefore };
  const found = await indexOfRow(snapshot, selection, rowsBefore);
  const inside = found && (await scopeOfBlocks(snapshot, found.part));
  if (!inside) return undefined;
  const row = { ...found, part: common(inside.sequences, scope.sequences) };
  const place = await narrowToRow(row, order, MAX_FROM, (...parts) =>
    countBuckets(snapshot, selection, inside.blocks, ...parts),
  );
  return place && { sequences: fromPartOn(place.part, scope.sequences, order), from: place.rowsBefore };
}

/** The blocks of the index that holds the row. */
async function indexOfRow(
  snapshot: Snapshot,
  selection: ActionSelection,
  rowsBefore: number,
): Promise<RowInPart<BlockRange> | undefined> {
  const { blocks } = selection.scope;
  const ranges = indexRanges(blocks, snapshot.progress.blocks_per_index);
  if (selection.order === 'desc') ranges.reverse();
  let rest = rowsBefore;
  for (let start = 0; start < ranges.length; start += INDICES_AT_ONCE) {
    const some = ranges.slice(start, start + INDICES_AT_ONCE);
    const found = await snapshot.searcher.searchAll(some.map((range) => countSearch(snapshot, selection, range)));
    const counted = found.map(({ total }, index): Counted<BlockRange> => ({
      part: some[index] as BlockRange,
      rows: total,
    }));
    const row = partOfRow(counted, rest);
    if ('part' in row) return { ...row, part: within(row.part, blocks) as BlockRange };
    rest -= row.passed;
  }
  return undefined;
}

/** The block ranges of the indices that hold some of the blocks, ascending. */
function indexRanges({ first, last }: BlockRange, blocksPerIndex: number): BlockRange[] {
  const ranges: BlockRange[] = [];
  for (let start = rangeStart(first, blocksPerIndex); start <= last; start += blocksPerIndex) {
    ranges.push({ first: start, last: start + blocksPerIndex - 1 });
  }
  return ranges;
}

/** Of an index that is wanted whole and holds nothing but the branch, the count is the same until somebody writes to it. */
function countSearch({ names, progress }: Snapshot, { scope, wanted }: ActionSelection, range: BlockRange): Search {
  const { blocks, sequences } = scope;
  const isWhole = range.first >= blocks.first && range.last <= Math.min(blocks.last, progress.clean_up_to);
  return {
    index: names.ranged('actions', range.first, progress.blocks_per_index),
    filters: isWhole ? wanted : [...wanted, ...inSequences(sequences), onBranch(progress, blocks)],
    count: true,
  };
}

async function countBuckets(
  { searcher, names, progress }: Snapshot,
  { wanted }: ActionSelection,
  blocks: BlockRange,
  sequences: SequenceRange,
  interval: number,
  offset: number,
): Promise<Bucket[]> {
  const { aggregations } = await searcher.search({
    index: names.ranged('actions', blocks.first, progress.blocks_per_index),
    filters: [...wanted, ...inSequences(sequences), onBranch(progress, blocks)],
    aggregations: { parts: { histogram: { field: 'sequence', interval, offset, min_doc_count: 1 } } },
  });
  return (aggregations['parts'] as { buckets: Bucket[] }).buckets;
}
