import type { ActionRecord, BlockRecords } from '@antelope-history/records';
import type { StoredAction } from '../stored';
import { actionBytes, MAX_PAGE_BYTES, type ActionFilter, type ActionsQuery, type Bound } from '../history-store';
import { storedActionsOf } from './model-rows';

/** One page of the actions in `blocks`, by filtering and slicing all of them. */
export function selectPage(
  blocks: readonly BlockRecords[],
  query: ActionsQuery,
  dataOf: (row: StoredAction) => ReadonlyMap<string, string>,
  maxBytes = MAX_PAGE_BYTES,
): { rows: StoredAction[]; more: boolean } {
  const isChild = childTest(blocks, query);
  const matching: StoredAction[] = [];
  for (const block of blocks) {
    if (!isWithinBounds(block, query)) continue;
    for (const row of storedActionsOf(block)) {
      const { action } = row;
      if (!isOfAccount(action, query.account) || !isOfFilters(action, query.filters) || !isChild(row)) continue;
      const hasData = query.data.every(({ fields, text }) => fields.some(({ key }) => dataOf(row).get(key) === text));
      if (hasData) matching.push(row);
    }
  }
  if (query.order === 'desc') matching.reverse();
  const isNewestLast = query.window === 'newest' && query.order === 'asc';
  const first = isNewestLast ? Math.max(0, matching.length - query.limit) : query.skip;
  const rows = fullPage(matching.slice(first, first + query.limit), maxBytes);
  return { rows, more: first + rows.length < matching.length };
}

/** The rows until the page is full. */
function fullPage(rows: StoredAction[], maxBytes: number): StoredAction[] {
  let bytes = 0;
  const last = rows.findIndex((row) => (bytes += actionBytes(row)) >= maxBytes);
  return last < 0 ? rows : rows.slice(0, last + 1);
}

function isOfAccount(action: ActionRecord, account: string | undefined): boolean {
  if (account === undefined) return true;
  // Loops, because this is called for every action of a chain at every query.
  for (const { receiver } of action.traces) if (receiver === account) return true;
  for (const { actor } of action.authorization) if (actor === account) return true;
  return false;
}

function isOfFilters(action: ActionRecord, filters: readonly ActionFilter[]): boolean {
  if (filters.length === 0) return true;
  return filters.some(
    ({ account, name }) =>
      (account === undefined || account === action.account) && (name === undefined || name === action.name),
  );
}

function childTest(blocks: readonly BlockRecords[], { parent }: ActionsQuery): (row: StoredAction) => boolean {
  if (parent === undefined) return () => true;
  if (parent === 'root') return ({ action }) => action.traces[0]?.creatorOrdinal === 0;
  for (const row of blocks.flatMap(storedActionsOf)) {
    const trace = row.action.traces.find(({ receipt }) => receipt.globalSequence === parent.sequence);
    if (!trace) continue;
    return ({ action, transactionId, blockNum }) =>
      blockNum === row.blockNum &&
      transactionId === row.transactionId &&
      action.traces[0]?.creatorOrdinal === trace.ordinal;
  }
  return () => false;
}

function isWithinBounds(block: BlockRecords, { after, before }: ActionsQuery): boolean {
  return (!after || isAtOrAfter(block, after)) && (!before || isAtOrBefore(block, before));
}

function isAtOrAfter(block: BlockRecords, bound: Bound): boolean {
  return 'blockNum' in bound ? block.position.num >= bound.blockNum : timeMsOf(block) >= bound.timeMs;
}

function isAtOrBefore(block: BlockRecords, bound: Bound): boolean {
  return 'blockNum' in bound ? block.position.num <= bound.blockNum : timeMsOf(block) <= bound.timeMs;
}

/** Block timestamps count half seconds since 2000-01-01 (nodeos config::block_timestamp_epoch). */
export function timeMsOf(block: BlockRecords): number {
  return Date.UTC(2000, 0, 1) + block.timestamp * 500;
}
