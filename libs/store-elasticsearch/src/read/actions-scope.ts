import type { ActionsQuery } from '@antelope-history/store';
import type { Query } from '../client/search';
import type { BlockRange } from '../indices/block-ranges';
import type { SequenceRange } from '../indices/sequence-range';
import { historyBlocks, within } from './branch-filter';
import { type Edge, edgeIn, firstEdge, lastEdge, notAfter, notBefore } from './locate-edge';
import type { QueryState } from './query-state';

/** The blocks and sequences in which actions are searched. */
export interface Scope {
  blocks: BlockRange;
  sequences: SequenceRange;
}

const ALL_SEQUENCES: SequenceRange = { start: 0, end: Infinity };

/** The history within a query's bounds; undefined when it is empty. */
export async function scopeOf(
  state: QueryState,
  { after, before }: Partial<Pick<ActionsQuery, 'after' | 'before'>>,
): Promise<Scope | undefined> {
  const blocks = historyBlocks(state.progress);
  if (!blocks) return undefined;
  if (!after && !before) return { blocks, sequences: ALL_SEQUENCES };
  const [first, last] = await Promise.all([
    after && firstEdge(state, blocks, after),
    before && lastEdge(state, blocks, before),
  ]);
  if ((after && !first) || (before && !last)) return undefined;
  return scopeBetween(blocks, first, last);
}

/** The blocks of one range, or of a part of it, that have actions, and their sequences; undefined when none have. */
export async function scopeOfRange(state: QueryState, range: BlockRange): Promise<Scope | undefined> {
  const { progress, caches } = state;
  const known = caches.scopes.find(range, progress);
  if (known) return known;
  const blocks = historyBlocks(progress);
  if (!blocks) return undefined;
  const [first, last] = await Promise.all([
    edgeIn(state, [range], { blocks, matching: notBefore({ blockNum: range.first }), order: 'asc' }),
    edgeIn(state, [range], { blocks, matching: notAfter({ blockNum: range.last }), order: 'desc' }),
  ]);
  const scope = first && last && scopeBetween(blocks, first, last);
  if (scope) caches.scopes.keep(range, scope, progress);
  return scope;
}

/** The filter for the sequences of a range. */
export function inSequences({ start, end }: SequenceRange): Query[] {
  if (start <= 0 && end === Infinity) return [];
  return [{ range: { sequence: { ...(start > 0 && { gte: start }), ...(end < Infinity && { lt: end }) } } }];
}

/** From one block with actions to another; without one of them, from the beginning or to the end of the blocks. */
function scopeBetween(blocks: BlockRange, first: Edge | undefined, last: Edge | undefined): Scope | undefined {
  const scope = within(blocks, { first: first?.blockNum ?? 0, last: last?.blockNum ?? Infinity });
  return (
    scope && {
      blocks: scope,
      sequences: { start: first?.firstSequence ?? 0, end: last?.endSequence ?? Infinity },
    }
  );
}
