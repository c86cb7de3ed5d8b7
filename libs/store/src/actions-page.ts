import type { ActionRecord } from '@antelope-history/records';
import type { StoredAction } from './stored';
import { actionBytes, MAX_PAGE_BYTES, type ActionFilter, type ActionRows, type ActionsQuery } from './history-store';

/*
 * Paging that all adapters share: which of the rows found belong to a page, and which actions of a transaction one of its
 * traces created.
 */

/** The rows of `total` that belong to a page, counted from the beginning of its order. */
export function pageOf(query: ActionsQuery, total: number): { first: number; count: number } {
  const newestAsc = query.window === 'newest' && query.order === 'asc';
  const first = newestAsc ? Math.max(0, total - query.limit) : query.skip;
  return { first, count: Math.max(0, Math.min(query.limit, total - first)) };
}

/** The first `count` rows, or fewer when `MAX_PAGE_BYTES` is reached before. */
export function takeRows<T>(items: Iterable<T>, count: number, toRow: (item: T) => StoredAction): StoredAction[] {
  const rows: StoredAction[] = [];
  let bytes = 0;
  for (const item of items) {
    const row = toRow(item);
    rows.push(row);
    bytes += actionBytes(row);
    if (rows.length === count || bytes >= MAX_PAGE_BYTES) break;
  }
  return rows;
}

/** The page of the actions that one trace created. `children`: all of them that `isChild` finds, ascending by sequence. */
export function childrenPage<T>(
  children: readonly T[],
  query: ActionsQuery,
  toRow: (child: T) => StoredAction,
): ActionRows {
  const ordered = query.order === 'desc' ? [...children].reverse() : children;
  const { first, count } = pageOf(query, ordered.length);
  const page = takeRows(ordered.slice(first, first + count), count, toRow);
  return { rows: page, more: first + page.length < ordered.length };
}

/** Whether a trace with the ordinal created an action of its transaction, and the query's account and filters match it. */
export function isChild(action: ActionRecord, creatorOrdinal: number, query: ActionsQuery): boolean {
  return action.traces[0]?.creatorOrdinal === creatorOrdinal && matchesQuery(action, query);
}

/** Whether an action matches the query's account and filters. */
function matchesQuery(action: ActionRecord, { account, filters }: ActionsQuery): boolean {
  return (
    (account === undefined ||
      action.traces.some(({ receiver }) => receiver === account) ||
      action.authorization.some(({ actor }) => actor === account)) &&
    matchesFilters(action, filters)
  );
}

/** Whether an action matches one of the filters, or there are none. */
export function matchesFilters(
  { account, name }: Pick<ActionRecord, 'account' | 'name'>,
  filters: readonly ActionFilter[],
): boolean {
  const matches = (filter: ActionFilter): boolean =>
    (filter.account === undefined || filter.account === account) && (filter.name === undefined || filter.name === name);
  return filters.length === 0 || filters.some(matches);
}

/** 2000-01-01T00:00:00Z, the epoch of block timestamps (nodeos config::block_timestamp_epoch). */
const EPOCH_MS = 946_684_800_000;
const SLOT_MS = 500;

/** A time in the half-second slots of block timestamps; a time between two slots has a fraction. */
export function slotOf(timeMs: number): number {
  return (timeMs - EPOCH_MS) / SLOT_MS;
}
