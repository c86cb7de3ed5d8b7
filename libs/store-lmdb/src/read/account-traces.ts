import {
  type AccountTracesPage,
  type AccountTracesQuery,
  AccountTraceRows,
  type ChainStatus,
  positionsNotStored,
  positionsWithin,
  type ParentTrace,
  rowSelection,
  type TraceConditions,
} from '@antelope-history/store';
import { readFact } from '../format/chain-facts';
import type { Snapshot, Tables } from '../format/tables';
import { listsOfAccount } from './action-lists';
import { sequencesWithin } from './sequence-range';
import { PageReader } from './page-reader';
import { findParentTrace } from './parent-trace';

/** Reads a page of an account's traces by their positions. */
export function queryAccountTraces(
  tables: Tables,
  { account, select, order, conditions }: AccountTracesQuery,
  status: ChainStatus,
  snapshot: Snapshot,
): AccountTracesPage {
  if (!readFact(tables, 'countsTraces', snapshot)) throw positionsNotStored();
  const { start, end } = sequencesWithin(tables, {}, status, snapshot);
  const { actions, traces } = listsOfAccount(tables, account, snapshot);
  // The traces of removed blocks keep their positions, so that those of others do not change.
  const range = positionsWithin(select, traces.rank(end), traces.rank(start));
  if (!range) return { status, rows: [], more: false };
  const pages = new PageReader(tables, snapshot);
  const selection = rowSelection({ order, conditions }, parentOf(pages, conditions));
  const page = new AccountTraceRows(account, range, selection);
  let position: number | undefined;
  let endOfRead = 0;
  for (const sequence of traces.ascending(traces.select(range.first, start, end), end)) {
    if (page.isFull) break;
    if (sequence < endOfRead) continue;
    const transaction = pages.sequencesOfTransaction(sequence);
    const found = Array.from(actions.ascending(transaction.start, transaction.end), (at) => pages.action(at));
    position = page.take(found, position ?? traces.rank(transaction.start));
    endOfRead = transaction.end;
  }
  return { status, rows: page.rows, more: page.more };
}

function parentOf(pages: PageReader, conditions: TraceConditions | undefined): ParentTrace | undefined {
  if (typeof conditions?.parent !== 'object') return undefined;
  const found = findParentTrace(pages, conditions.parent.sequence);
  return found && { ...found.transaction.facts, ordinal: found.ordinal };
}
