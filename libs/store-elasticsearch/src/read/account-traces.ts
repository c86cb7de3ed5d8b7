import {
  type AccountTracesPage,
  type AccountTracesQuery,
  AccountTraceRows,
  type ParentTrace,
  positionsNotStored,
  positionsWithin,
  rowSelection,
  type TraceConditions,
  tracesOfAccount,
} from '@antelope-history/store';
import type { Query } from '../client/search';
import { type BlockRange, rangeLast } from '../indices/block-ranges';
import { directoryBlocks } from '../indices/directory';
import type { ActionList } from '../indices/found-actions';
import { readActions, type ReadAction } from './action-reader';
import { inSequences, scopeOf } from './actions-scope';
import { onBranch, within } from './branch-filter';
import { findTraces } from './directory-query';
import { type ActionSelection, countRanges, locateInRange } from './locate-row';
import { findParentTrace } from './parent-trace';
import { rangesIn } from './range-groups';
import { type Counted, partOfRow } from './row-location';
import { historySearch, type QueryState } from './query-state';

type Rows = Omit<AccountTracesPage, 'status'>;

const EMPTY: Rows = { rows: [], more: false };

/** At most this many rows before the first row of a page are read to find it; a row may have half a megabyte. */
const MAX_BEFORE = 100;

/** Reads a page of an account's traces by their positions. */
export async function queryAccountTraces(
  state: QueryState,
  { account, select, order, conditions }: AccountTracesQuery,
): Promise<Rows> {
  if (!state.progress.counts_traces) throw positionsNotStored();
  const scope = await scopeOf(state, {});
  if (!scope) return EMPTY;
  const selection: ActionSelection = {
    scope,
    filters: [{ term: { accounts: account } }],
    withFurtherTraces: { term: { authorizers: account } },
    order: 'asc',
  };
  const counted = await countTraces(state, account, selection);
  const range = positionsWithin(
    select,
    counted.reduce((sum, { rows }) => sum + rows, 0),
  );
  const found = range && partOfRow(counted, range.first);
  const located = found && 'part' in found && (await locateInRange(state, selection, found, MAX_BEFORE));
  if (!range || !located) return EMPTY;
  const { filters } = selection;
  const from = { sequence: located.part.start, position: range.first - located.rowsBefore };
  const page = new AccountTraceRows(
    account,
    range,
    rowSelection({ order, conditions }, await parentOf(state, conditions)),
  );
  return readRows(state, account, filters, from, page);
}

async function parentOf(state: QueryState, conditions: TraceConditions | undefined): Promise<ParentTrace | undefined> {
  if (typeof conditions?.parent !== 'object') return undefined;
  const found = await findParentTrace(state, conditions.parent.sequence);
  return found && { ...found.action.row, ordinal: found.ordinal };
}

/** The traces of an account in each range. */
async function countTraces(
  state: QueryState,
  account: string,
  selection: ActionSelection,
): Promise<Counted<BlockRange>[]> {
  const { blocks } = selection.scope;
  const covered = directoryBlocks(state.progress);
  const young = within(blocks, { first: covered ? covered.last + 1 : 0, last: Infinity });
  const [found, ofYoung] = await Promise.all([
    findTraces(state, account),
    young ? countRanges(state, selection, rangesIn(young, state)) : [],
  ]);
  const old = found.map(({ range, rows }) => ({
    part: { first: range, last: rangeLast(range, state.progress) },
    rows,
  }));
  return [...old, ...ofYoung];
}

/**
 * Reads rows from the transaction of the first action at or after `from.sequence` on. The first trace of that action has the
 * position `from.position`.
 */
async function readRows(
  state: QueryState,
  account: string,
  filters: Query[],
  from: { sequence: number; position: number },
  page: AccountTraceRows,
): Promise<Rows> {
  const start = await transactionStart(state, filters, from.sequence);
  if (start === undefined) return EMPTY;
  let position: number | undefined;
  for await (const actions of transactionsFrom(state, filters, start)) {
    position ??= from.position - tracesBefore(actions, account, from.sequence);
    position = page.take(
      actions.map(({ row }) => row),
      position,
    );
    if (page.isFull) break;
  }
  return { rows: page.rows, more: page.more };
}

async function transactionStart(state: QueryState, filters: Query[], sequence: number): Promise<number | undefined> {
  for await (const { document } of readActions(state, listFrom(state, filters, sequence), 1)) {
    return document.firstSequence;
  }
  return undefined;
}

/** Traces of the account in the actions below a sequence. */
function tracesBefore(actions: readonly ReadAction[], account: string, sequence: number): number {
  const before = actions.filter(({ document }) => document.sequence < sequence);
  return before.reduce((sum, { row }) => sum + tracesOfAccount(row, account).length, 0);
}

/** The account's actions from a sequence on, by transaction. */
async function* transactionsFrom(state: QueryState, filters: Query[], sequence: number): AsyncGenerator<ReadAction[]> {
  let actions: ReadAction[] = [];
  for await (const action of readActions(state, listFrom(state, filters, sequence), Infinity)) {
    const previous = actions.at(-1);
    if (previous && previous.document.firstSequence !== action.document.firstSequence) {
      yield actions;
      actions = [];
    }
    actions.push(action);
  }
  if (actions.length > 0) yield actions;
}

function listFrom(state: QueryState, filters: Query[], start: number): ActionList {
  const { progress } = state;
  const blocks = { first: progress.first_block_num ?? 0, last: progress.committed?.num ?? 0 };
  return {
    ...historySearch(state, 'actions'),
    filters: [...filters, ...inSequences({ start, end: Infinity }), onBranch(progress, blocks)],
    order: 'asc',
  };
}
