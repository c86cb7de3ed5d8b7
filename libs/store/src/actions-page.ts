import type { ActionRecord } from '@antelope-history/records';
import type { StoredAction } from './stored';
import { actionBytes, MAX_PAGE_BYTES, type ActionFilter, type ActionRows, type ActionsQuery } from './history-store';

/*
 * What every adapter does with the rows that it found: which of them a page shows, and which of a transaction's actions one
 * of its traces created.
 */

/** Which rows of `total` a page shows, counted from the beginning of its order. */
export function pageOf(query: ActionsQuery, total: number): { first: number; count: number } {
  const newestAsc = query.window === 'newest' && query.order === 'asc';
  const first = newestAsc ? Math.max(0, total - query.limit) : query.skip;
  return { first, count: Math.max(0, Math.min(query.limit, total - first)) };
}

/** The first `count` rows, or fewer where the page is full before. */
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

/** The query's page of the actions that one trace created. `rows`: those of its transaction, ascending by sequence. */
export function childrenPage(
  rows: Iterable<StoredAction>,
  creatorOrdinal: number,
  query: ActionsQuery,
): ActionRows {
  const children: StoredAction[] = [];
  for (const row of rows) {
    if (row.action.traces[0]?.creatorOrdinal === creatorOrdinal && isWanted(row.action, query)) children.push(row);
  }
  if (query.order === 'desc') children.reverse();
  const { first, count } = pageOf(query, children.length);
  const page = takeRows(children.slice(first, first + count), count, (row) => row);
  return { rows: page, more: first + page.length < children.length };
}

/** Whether an action is of the query's account and filters. */
function isWanted(action: ActionRecord, { account, filters }: ActionsQuery): boolean {
  const isOf = (filter: ActionFilter): boolean =>
    (filter.account === undefined || filter.account === action.account) &&
    (filter.name === undefined || filter.name === action.name);
  return (
    (account === undefined ||
      action.traces.some(({ receiver }) => receiver === account) ||
      action.authorization.some(({ actor }) => actor === account)) &&
    (filters.length === 0 || filters.some(isOf))
  );
}

/** 2000-01-01T00:00:00Z, the epoch of block timestamps (nodeos config::block_timestamp_epoch). */
const EPOCH_MS = 946_684_800_000;
const SLOT_MS = 500;

/** A time as block timestamps count it, in half-second slots; between two slots it is a fraction. */
export function slotOf(timeMs: number): number {
  return (timeMs - EPOCH_MS) / SLOT_MS;
}
