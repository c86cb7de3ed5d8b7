import { type Bound, slotOf } from '@antelope-history/store';
import type { FoundHit, Query } from '../client/search';
import type { BlockRange } from '../indices/block-ranges';
import type { ProgressDocument } from '../indices/documents';
import type { Order } from '../indices/found-actions';
import { fetchDocValues } from '../indices/hits';
import { onBranch, within } from './branch-filter';
import { growingGroups, rangesIn } from './range-groups';
import type { QueryState } from './query-state';

/**
 * The number of ranges that are searched first. The block of a number is in the first of them; the block of a time comes later by as many
 * blocks as there have been slots without a block since.
 */
const FIRST_RANGES = 4;

/** A block with actions at the beginning or the end of a scope, and its sequences. */
export interface Edge {
  blockNum: number;
  firstSequence: number;
  endSequence: number;
}

/** The first block in this order among those of `blocks` with actions that match. */
interface EdgeSearch {
  blocks: BlockRange;
  matching: Query;
  order: Order;
}

/** The first block with actions among `blocks` that is not before a bound. */
export function firstEdge(state: QueryState, blocks: BlockRange, after: Bound): Promise<Edge | undefined> {
  const ranges = rangesWithin(state, blocks, {
    first: lowestNum(state.progress, after, Math.ceil),
    last: Infinity,
  });
  return nearestEdge(state, ranges, { blocks, matching: notBefore(after), order: 'asc' });
}

/** The last block with actions among `blocks` that is not after a bound. */
export async function lastEdge(state: QueryState, blocks: BlockRange, before: Bound): Promise<Edge | undefined> {
  const search: EdgeSearch = { blocks, matching: notAfter(before), order: 'desc' };
  const lowest = lowestNum(state.progress, before, Math.floor);
  const last = 'timeMs' in before ? await lastFrom(state, lowest, search) : undefined;
  if (last) return last;
  const ranges = rangesWithin(state, blocks, { first: 0, last: lowest }).reverse();
  return nearestEdge(state, ranges, search);
}

/** The ranges of the blocks within bounds, ascending. */
function rangesWithin(state: QueryState, blocks: BlockRange, bounds: BlockRange): BlockRange[] {
  const rest = within(blocks, bounds);
  return rest ? rangesIn(rest, state) : [];
}

/** `ranges`: in the order of the search. */
async function nearestEdge(
  state: QueryState,
  ranges: readonly BlockRange[],
  search: EdgeSearch,
): Promise<Edge | undefined> {
  for (const group of growingGroups(ranges, FIRST_RANGES)) {
    const edge = await edgeIn(state, group, search);
    if (edge) return edge;
  }
  return undefined;
}

/** The last block that matches, if it is in the range of the block `lowest` or in a later range. */
async function lastFrom(state: QueryState, lowest: number, search: EdgeSearch): Promise<Edge | undefined> {
  const { blocks, matching } = search;
  const later: EdgeSearch = { blocks, matching: { bool: { must_not: [matching] } }, order: 'asc' };
  const ranges = rangesWithin(state, blocks, { first: lowest, last: Infinity });
  let last: Edge | undefined;
  for (const group of growingGroups(ranges, FIRST_RANGES)) {
    const [found, next] = await Promise.all([edgeIn(state, group, search), edgeIn(state, group, later)]);
    last = found ?? last;
    if (next) break;
  }
  return last;
}

/** Searches these ranges only. */
export async function edgeIn(
  { searcher, names, progress }: QueryState,
  ranges: readonly BlockRange[],
  { blocks, matching, order }: EdgeSearch,
): Promise<Edge | undefined> {
  const { hits } = await searcher.search({
    index: ranges.map(({ first }) => names.ranged('blocks', first, progress)).join(),
    minIndices: ranges.length,
    // A block without actions may have no sequences.
    filters: [matching, { range: { end_sequence: { gt: 0 } } }, onBranch(progress, blocks)],
    size: 1,
    sort: [{ block_num: order }],
    fetch: fetchDocValues('block_num', 'first_sequence', 'end_sequence'),
  });
  return hits[0] && edgeOf(hits[0]);
}

function edgeOf({ fields }: FoundHit): Edge {
  const value = (field: string): number => fields?.[field]?.[0] as number;
  return {
    blockNum: value('block_num'),
    firstSequence: value('first_sequence'),
    endSequence: value('end_sequence'),
  };
}

/**
 * The lowest number that a block at a bound can have: all blocks with lower numbers are before the bound, and the block with this number is
 * not after it. A slot has at most one block (nodeos block_header_state.cpp, next), so from a time to the committed block there are at
 * most as many blocks as slots.
 */
function lowestNum(
  { committed, committed_timestamp: committedSlot }: ProgressDocument,
  bound: Bound,
  toSlot: (slot: number) => number,
): number {
  if ('blockNum' in bound) return bound.blockNum;
  if (!committed || committedSlot === undefined) return 0;
  return committed.num - committedSlot + toSlot(slotOf(bound.timeMs));
}

/** The highest value that the mapping of block numbers and timestamps allows. */
const MAX_INTEGER = 2 ** 31 - 1;

export function notBefore(bound: Bound): Query {
  if ('blockNum' in bound) return { range: { block_num: { gte: toInteger(bound.blockNum) } } };
  return { range: { timestamp: { gte: toInteger(Math.ceil(slotOf(bound.timeMs))) } } };
}

export function notAfter(bound: Bound): Query {
  if ('blockNum' in bound) return { range: { block_num: { lte: toInteger(bound.blockNum) } } };
  return { range: { timestamp: { lte: toInteger(Math.floor(slotOf(bound.timeMs))) } } };
}

function toInteger(value: number): number {
  return Math.max(-1, Math.min(MAX_INTEGER, value));
}
