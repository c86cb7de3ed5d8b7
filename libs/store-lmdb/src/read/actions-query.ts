import { HistoryError } from '@antelope-history/schemas';
import {
  type ChainStatus,
  type StoredAction,
  childrenPage,
  pageOf,
  slotOf,
  takeRows,
  type ActionRows,
  type ActionsPage,
  type ActionsQuery,
  type Bound,
} from '@antelope-history/store';
import { readBlockIndex } from '../format/chain-facts';
import type { Snapshot, Tables } from '../format/tables';
import { decodePagedAction, type PagedTransaction } from '../format/trace-page';
import { listsOfQuery, setsOfData } from './action-lists';
import { PostingIntersection } from './posting-intersection';
import type { PostingSet } from './posting-set';
import { PageReader, type LocatedTransaction } from './page-reader';

/** Sequences from `start` to below `end`. */
export interface SequenceRange {
  start: number;
  end: number;
}

/** Reads one page of actions in a snapshot. */
export function queryActions(
  tables: Tables,
  query: ActionsQuery,
  status: ChainStatus,
  snapshot: Snapshot,
): ActionsPage {
  const range = sequencesWithin(tables, query, status, snapshot);
  const pages = new PageReader(tables, snapshot);
  if (range.start >= range.end) return { status, rows: [], more: false };
  const data = query.data.length === 0 ? [] : setsOfData(tables, query, snapshot);
  if (typeof query.parent === 'object') {
    const matchesData = (sequence: number): boolean => data.every((set) => set.from(sequence) === sequence);
    return { status, ...childrenOf(pages, query, query.parent.sequence, range, matchesData) };
  }
  if (data.length > 1) return { status, ...intersectionPage(pages, query, new PostingIntersection(data), range) };

  const lists = data[0] ?? listsOfQuery(tables, query, snapshot);
  const below = lists.rank(range.start);
  const total = lists.rank(range.end) - below;
  const { first, count } = pageOf(query, total);
  if (count === 0) return { status, rows: [], more: false };
  const rows = takeRows(sequencesFrom(lists, query.order, range, { below, total, first }), count, (at) =>
    pages.action(at),
  );
  return { status, rows, more: first + rows.length < total };
}

/** A page of the actions that all conditions on data match; one row more shows whether any follow. */
function intersectionPage(
  pages: PageReader,
  { order, skip, limit, window }: ActionsQuery,
  found: PostingIntersection,
  { start, end }: SequenceRange,
): ActionRows {
  const isNewestAsc = window === 'newest' && order === 'asc';
  const inOrder = order === 'asc' && !isNewestAsc ? found.ascending(start, end) : found.descending(end, start);
  const sequences: number[] = [];
  let index = 0;
  for (const sequence of inOrder) {
    if (index++ >= skip) sequences.push(sequence);
    if (sequences.length > limit) break;
  }
  const page = sequences.slice(0, limit);
  if (isNewestAsc) page.reverse();
  const rows = takeRows(page, limit, (at) => pages.action(at));
  return { rows, more: rows.length < page.length || (!isNewestAsc && sequences.length > limit) };
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

/** The actions that one trace created: all of them are in its transaction. */
function childrenOf(
  pages: PageReader,
  query: ActionsQuery,
  parentSequence: number,
  range: SequenceRange,
  matchesData: (sequence: number) => boolean,
): ActionRows {
  const transaction = pages.transactionAt(parentSequence);
  const ordinal = transaction && ordinalOf(transaction.parts, parentSequence);
  if (!transaction || ordinal === undefined) return { rows: [], more: false };
  return childrenPage(rowsWithin(transaction, range, matchesData), ordinal, query);
}

function* rowsWithin(
  transaction: LocatedTransaction,
  range: SequenceRange,
  isWanted: (sequence: number) => boolean,
): Generator<StoredAction> {
  for (const part of transaction.parts) {
    for (const paged of part.actions) {
      if (paged.sequence < range.start || paged.sequence >= range.end || !isWanted(paged.sequence)) continue;
      yield { ...transaction.facts, action: decodePagedAction(part, paged) };
    }
  }
}

function ordinalOf(parts: PagedTransaction[], sequence: number): number | undefined {
  for (const part of parts) {
    for (const paged of part.actions) {
      const trace = decodePagedAction(part, paged).traces.find(({ receipt }) => receipt.globalSequence === sequence);
      if (trace) return trace.ordinal;
    }
  }
  return undefined;
}

/** The sequences of the committed blocks within the query's bounds. */
export function sequencesWithin(
  tables: Tables,
  query: Pick<Partial<ActionsQuery>, 'after' | 'before'>,
  status: ChainStatus,
  snapshot: Snapshot,
): SequenceRange {
  const { firstBlockNum, committed } = status;
  if (firstBlockNum === undefined || !committed) return { start: 0, end: 0 };
  const blocks: BlockRange = { first: firstBlockNum, last: committed.num };
  const timestampOf = (num: number): number => readIndex(tables, num, snapshot).timestamp;
  const first = query.after ? firstBlockAfter(query.after, blocks, timestampOf) : blocks.first;
  const last = query.before ? lastBlockBefore(query.before, blocks, timestampOf) : blocks.last;
  if (first > last) return { start: 0, end: 0 };
  return {
    start: readIndex(tables, first, snapshot).firstSequence,
    end: readIndex(tables, last, snapshot).endSequence,
  };
}

interface BlockRange {
  first: number;
  last: number;
}

function readIndex(tables: Tables, num: number, snapshot: Snapshot): { timestamp: number } & SequenceNames {
  const entry = readBlockIndex(tables, num, snapshot);
  if (!entry) throw new HistoryError('INTERNAL', `block ${num} is missing below the committed head`);
  return entry;
}

interface SequenceNames {
  firstSequence: number;
  endSequence: number;
}

function firstBlockAfter(bound: Bound, blocks: BlockRange, timestampOf: (num: number) => number): number {
  if ('blockNum' in bound) return Math.max(bound.blockNum, blocks.first);
  const slot = slotOf(bound.timeMs);
  return firstBlockWhere(blocks, (num) => timestampOf(num) >= slot);
}

function lastBlockBefore(bound: Bound, blocks: BlockRange, timestampOf: (num: number) => number): number {
  if ('blockNum' in bound) return Math.min(bound.blockNum, blocks.last);
  const slot = slotOf(bound.timeMs);
  return firstBlockWhere(blocks, (num) => timestampOf(num) > slot) - 1;
}

/** The first block for which `holds`, by binary search: timestamps ascend with block numbers. `last + 1` if there is none. */
function firstBlockWhere(blocks: BlockRange, holds: (num: number) => boolean): number {
  let from = blocks.first;
  let to = blocks.last + 1;
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}
