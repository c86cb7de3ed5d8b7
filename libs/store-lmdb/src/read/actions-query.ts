import {
  type ChainStatus,
  childrenPage,
  isChild,
  pageOf,
  takeRows,
  type ActionRows,
  type ActionsPage,
  type ActionsQuery,
} from '@antelope-history/store';
import type { Snapshot, Tables } from '../format/tables';
import { listsOfQuery, setsOfData } from './action-lists';
import type { DataSearch } from './data-search';
import type { PostingSet } from './posting-set';
import { PageReader } from './page-reader';
import { findParentTrace } from './parent-trace';
import { type SequenceRange, sequencesWithin } from './sequence-range';

/**
 * Reads one page of actions in a snapshot; undefined while `search`, the query's own, is not complete. `queryChildren` reads those
 * that one trace created.
 */
export function queryActions(
  tables: Tables,
  query: ActionsQuery,
  search: DataSearch,
  status: ChainStatus,
  snapshot: Snapshot,
): ActionsPage | undefined {
  const range = sequencesWithin(tables, query, status, snapshot);
  const pages = new PageReader(tables, snapshot);
  if (range.start >= range.end) return { status, rows: [], more: false };
  const data = query.data.length === 0 ? [] : setsOfData(tables, query, snapshot);
  if (data.length > 1) return search.continue(data, range, status, pages);
  const lists = data[0] ?? listsOfQuery(tables, query, snapshot);
  return { status, ...countedPage(pages, query, lists, range, status) };
}

/** A page of the postings of some lists: they are counted, so that its place is known without reading those before it. */
function countedPage(
  pages: PageReader,
  query: ActionsQuery,
  lists: PostingSet,
  range: SequenceRange,
  { hasRemovedBlocks }: ChainStatus,
): ActionRows {
  // Below the first block of the history there are only postings of removed blocks.
  const below = query.after || hasRemovedBlocks ? lists.rank(range.start) : 0;
  const total = lists.rank(range.end) - below;
  const { first, count } = pageOf(query, total);
  if (count === 0) return { rows: [], more: false };
  const rows = takeRows(sequencesFrom(lists, query.order, range, { below, total, first }), count, (at) =>
    pages.action(at),
  );
  return { rows, more: first + rows.length < total };
}

/** The sequences in the chosen order from the row `first` on. Most pages begin with row 0, which needs no search. */
function sequencesFrom(
  lists: PostingSet,
  order: ActionsQuery['order'],
  { start, end }: SequenceRange,
  { below, total, first }: { below: number; total: number; first: number },
): Iterable<number> {
  // `first` counts from the beginning of the chosen order; ranks count upwards.
  if (order === 'asc') return lists.ascending(first === 0 ? start : lists.select(below + first, start, end), end);
  const last = first === 0 ? end - 1 : lists.select(below + total - 1 - first, start, end);
  return lists.descending(last, start);
}

/**
 * Reads one page of the actions that one trace created: all of them are in its transaction. Yields the steps that a long read took since
 * the last time. Of the actions that the page does not show, which may have any size, one page of records is held at a time.
 */
export function* queryChildren(
  tables: Tables,
  query: ActionsQuery,
  parentSequence: number,
  status: ChainStatus,
  snapshot: Snapshot,
): Generator<number, ActionsPage> {
  const range = sequencesWithin(tables, query, status, snapshot);
  const pages = new PageReader(tables, snapshot);
  const parent = range.start < range.end ? findParentTrace(pages, parentSequence) : undefined;
  if (!parent) return { status, rows: [], more: false };
  const data = query.data.length === 0 ? [] : setsOfData(tables, query, snapshot);
  const children: number[] = [];
  for (const part of pages.partsOf(parent.transaction)) {
    for (const paged of part.actions) {
      const { sequence } = paged;
      if (sequence < range.start || sequence >= range.end) continue;
      if (!data.every((set) => set.from(sequence) === sequence)) continue;
      if (isChild(pages.decode(part, paged), parent.ordinal, query)) children.push(sequence);
    }
    const steps = pages.takeDueSteps();
    if (steps > 0) yield steps;
  }
  return { status, ...childrenPage(children, query, (sequence) => pages.action(sequence)) };
}
