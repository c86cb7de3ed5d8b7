import type { ActionTrace } from '@antelope-history/records';
import {
  type AccountTracesPage,
  type AccountTracesQuery,
  AccountTraceRows,
  type ChainStatus,
  positionsNotStored,
  positionsWithin,
  type ParentTrace,
  type PositionRange,
  rowSelection,
  type StoredAction,
  type TraceConditions,
  tracesOfAccount,
} from '@antelope-history/store';
import { readFact } from '../format/chain-facts';
import type { Snapshot, Tables } from '../format/tables';
import { listsOfAccount } from './action-lists';
import { PageReader } from './page-reader';
import { findParentTrace } from './parent-trace';
import type { PostingSet } from './posting-set';
import { type SequenceRange, sequencesWithin } from './sequence-range';

/** Reads a page of an account's traces by their positions. Yields the steps that a long read took since the last time. */
export function* queryAccountTraces(
  tables: Tables,
  { account, select, order, conditions }: AccountTracesQuery,
  status: ChainStatus,
  snapshot: Snapshot,
): Generator<number, AccountTracesPage> {
  if (!readFact(tables, 'countsTraces', snapshot)) throw positionsNotStored();
  const { start, end } = sequencesWithin(tables, {}, status, snapshot);
  const { actions, traces } = listsOfAccount(tables, account, snapshot);
  // The traces of removed blocks keep their positions, so that those of others do not change.
  const range = positionsWithin(select, traces.rank(end), traces.rank(start));
  if (!range) return { status, rows: [], more: false };
  const pages = new PageReader(tables, snapshot);
  const page = new AccountTraceRows(account, range, rowSelection({ order, conditions }, parentOf(pages, conditions)));
  let position: number | undefined;
  let next: number | undefined = traces.select(range.first, start, end);
  while (next !== undefined && next < end && !page.isFull) {
    const transaction = pages.sequencesOfTransaction(next);
    position ??= traces.rank(transaction.start);
    const places = yield* placesIn(transaction, account, actions, pages);
    yield* takeRows(page, places, { position, range }, pages);
    position += places.length;
    next = traces.from(transaction.end);
  }
  return { status, rows: page.rows, more: page.more };
}

/** A trace of an account in a transaction: the sequence of its action, and its ordinal. */
interface TracePlace {
  sequence: number;
  ordinal: number;
}

/**
 * The account's traces of a transaction in the order of their ordinals. An action may have the first ordinal and the last sequence, so
 * that one position needs all of them; of the actions themselves, which may have any size, one page is held at a time.
 */
function* placesIn(
  { start, end }: SequenceRange,
  account: string,
  actions: PostingSet,
  pages: PageReader,
): Generator<number, TracePlace[]> {
  const places: TracePlace[] = [];
  for (const sequence of actions.ascending(start, end)) {
    for (const { ordinal } of tracesOfAccount({ action: pages.passingAction(sequence) }, account)) {
      places.push({ sequence, ordinal });
    }
    const steps = pages.takeDueSteps();
    if (steps > 0) yield steps;
  }
  return places.sort((left, right) => left.ordinal - right.ordinal);
}

/** Takes the traces of a transaction that are in the range, the first of which has the position. */
function* takeRows(
  page: AccountTraceRows,
  places: readonly TracePlace[],
  { position, range }: { position: number; range: PositionRange },
  pages: PageReader,
): Generator<number, void> {
  const last = Math.min(places.length - 1, range.last - position);
  let row: { sequence: number; action: StoredAction } | undefined;
  for (let index = Math.max(0, range.first - position); index <= last && !page.isFull; index++) {
    const { sequence, ordinal } = places[index] as TracePlace;
    if (row?.sequence !== sequence) row = { sequence, action: pages.action(sequence) };
    const trace = row.action.action.traces.find((each) => each.ordinal === ordinal) as ActionTrace;
    page.takeTrace({ ...row.action, trace, position: position + index });
    const steps = pages.takeDueSteps();
    if (steps > 0) yield steps;
  }
}

function parentOf(pages: PageReader, conditions: TraceConditions | undefined): ParentTrace | undefined {
  if (typeof conditions?.parent !== 'object') return undefined;
  const found = findParentTrace(pages, conditions.parent.sequence);
  return found && { ...found.transaction.facts, ordinal: found.ordinal };
}
