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

/** All actions that a query matches, in an order. */
export interface ActionSelection {
  scope: Scope;
  /** The query's filters besides the scope and the branch. */
  wanted: Query[];
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
  const inside = found && (await scopeOfBlocks(snapshot, found.part));
  if (!inside) return undefined;
  const row = { ...found, part: common(inside.sequences, scope.sequences) };
  const located = await narrowToRow(row, order, MAX_FROM, (...parts) =>
    countBuckets(snapshot, selection, inside.blocks, ...parts),
  );
  return located && { sequences: fromPartOn(located.part, scope.sequences, order), from: located.rowsBefore };
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

/** The block ranges of the indices with some of the blocks, ascending. */
function indexRanges({ first, last }: BlockRange, blocksPerIndex: number): BlockRange[] {
  const ranges: BlockRange[] = [];
  for (let start = rangeStart(first, blocksPerIndex); start <= last; start += blocksPerIndex) {
    ranges.push({ first: start, last: start + blocksPerIndex - 1 });
  }
  return ranges;
}

/** Counts one index. A clean index that is wholly in scope needs no branch filter, so the server can cache its count. */
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
