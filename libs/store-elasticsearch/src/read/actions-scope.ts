import { slotOf, type ActionsQuery, type Bound } from '@antelope-history/store';
import type { FoundHit, Query, Search } from '../client/search';
import { fetchDocValues } from '../indices/hits';
import type { SequenceRange } from '../indices/sequence-range';
import { historyBlocks, onBranch, within, type BlockRange } from './branch-filter';
import { wholeHistory, type Snapshot } from './snapshot';

/** The blocks and sequences in which actions are searched. */
export interface Scope {
  blocks: BlockRange;
  sequences: SequenceRange;
}

const ALL_SEQUENCES: SequenceRange = { start: 0, end: Infinity };

/** The history within a query's bounds; undefined when it is empty. */
export async function scopeOf(
  snapshot: Snapshot,
  { after, before }: Partial<Pick<ActionsQuery, 'after' | 'before'>>,
): Promise<Scope | undefined> {
  const blocks = historyBlocks(snapshot.progress);
  if (!blocks) return undefined;
  if (!after && !before) return { blocks, sequences: ALL_SEQUENCES };
  return edgesOf(snapshot, blocks, after && fromBound(after), before && toBound(before));
}

/** The blocks of one range, or of a part of it, that have actions, and their sequences; undefined when none have. */
export async function scopeOfRange(snapshot: Snapshot, range: BlockRange): Promise<Scope | undefined> {
  const { names, progress, caches } = snapshot;
  const known = caches.scopes.find(range, progress);
  if (known) return known;
  const blocks = historyBlocks(progress);
  if (!blocks) return undefined;
  const place = { index: names.ranged('blocks', range.first, progress) };
  const { first, last } = range;
  const scope = await edgesOf(snapshot, blocks, fromBound({ blockNum: first }), toBound({ blockNum: last }), place);
  if (scope) caches.scopes.keep(range, scope, progress);
  return scope;
}

/** The filter for the sequences of a range. */
export function inSequences({ start, end }: SequenceRange): Query[] {
  if (start <= 0 && end === Infinity) return [];
  return [{ range: { sequence: { ...(start > 0 && { gte: start }), ...(end < Infinity && { lt: end }) } } }];
}

/** From the first block that matches `from` to the last one that matches `to`; only blocks with actions count. */
async function edgesOf(
  snapshot: Snapshot,
  blocks: BlockRange,
  from: Query | undefined,
  to: Query | undefined,
  place: Pick<Search, 'index' | 'fewest'> = wholeHistory(snapshot, 'blocks'),
): Promise<Scope | undefined> {
  const searches: Search[] = [];
  if (from) searches.push({ ...place, ...edgeSearch(snapshot, blocks, from, 'asc') });
  if (to) searches.push({ ...place, ...edgeSearch(snapshot, blocks, to, 'desc') });
  const found = await snapshot.searcher.searchAll(searches);
  const first = from && edgeOf(found[0]?.hits[0]);
  const last = to && edgeOf(found.at(-1)?.hits[0]);
  if ((from && !first) || (to && !last)) return undefined;
  const scope = within(blocks, { first: first?.blockNum ?? 0, last: last?.blockNum ?? Infinity });
  return (
    scope && {
      blocks: scope,
      sequences: { start: first?.firstSequence ?? 0, end: last?.endSequence ?? Infinity },
    }
  );
}

function edgeSearch(snapshot: Snapshot, blocks: BlockRange, bound: Query, order: 'asc' | 'desc') {
  return {
    // A block without actions may have no sequences.
    filters: [bound, { range: { end_sequence: { gt: 0 } } }, onBranch(snapshot.progress, blocks)],
    size: 1,
    sort: [{ block_num: order }],
    fetch: fetchDocValues('block_num', 'first_sequence', 'end_sequence'),
  } satisfies Partial<Search>;
}

interface Edge {
  blockNum: number;
  firstSequence: number;
  endSequence: number;
}

function edgeOf(hit: FoundHit | undefined): Edge | undefined {
  if (!hit) return undefined;
  const value = (field: string): number => hit.fields?.[field]?.[0] as number;
  return {
    blockNum: value('block_num'),
    firstSequence: value('first_sequence'),
    endSequence: value('end_sequence'),
  };
}

/** The highest value that the mapping of block numbers and timestamps allows. */
const MAX_INTEGER = 2 ** 31 - 1;

function fromBound(bound: Bound): Query {
  if ('blockNum' in bound) return { range: { block_num: { gte: toInteger(bound.blockNum) } } };
  return { range: { timestamp: { gte: toInteger(Math.ceil(slotOf(bound.timeMs))) } } };
}

function toBound(bound: Bound): Query {
  if ('blockNum' in bound) return { range: { block_num: { lte: toInteger(bound.blockNum) } } };
  return { range: { timestamp: { lte: toInteger(Math.floor(slotOf(bound.timeMs))) } } };
}

function toInteger(value: number): number {
  return Math.max(-1, Math.min(MAX_INTEGER, value));
}
