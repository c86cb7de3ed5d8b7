import type { ActionTrace } from '@antelope-history/records';
import { HistoryError } from '@antelope-history/schemas';
import { matchesFilters, slotOf } from './actions-page';
import { actionBytes, type ActionsQuery, MAX_PAGE_BYTES } from './history-store';
import type { ChainStatus, StoredAction } from './stored';

/*
 * An account's traces as the original history plugin numbered them: every trace that the account received or authorised, from 0
 * on, in the order of the chain's transactions and, within one, of the traces' ordinals (nodeos history_plugin.cpp,
 * on_applied_transaction). A notification is a trace of its own.
 */

/** Positions from `first` to `last`, both included; empty when `last` is lower. */
export interface PositionRange {
  first: number;
  last: number;
}

export interface AccountTracesQuery {
  account: string;
  /** Chooses the positions, given how many traces the account had, and the first position whose block is not removed. */
  select: (count: number, firstKept: number) => PositionRange;
  /** The order of the rows; ascending by position if undefined. */
  order?: 'asc' | 'desc' | undefined;
  /** Leaves out the rows of actions that do not meet them. The positions count these rows, too. */
  conditions?: TraceConditions | undefined;
}

/** Conditions on actions, each as in `ActionsQuery`. */
export type TraceConditions = Pick<ActionsQuery, 'filters' | 'after' | 'before' | 'parent'>;

/** A trace whose created actions are asked for. */
export interface ParentTrace {
  transactionId: string;
  blockNum: number;
  ordinal: number;
}

export interface AccountTrace extends StoredAction {
  position: number;
  /** The trace of `action` that has the position. */
  trace: ActionTrace;
}

export interface AccountTracesPage {
  status: ChainStatus;
  /** In the query's order. */
  rows: AccountTrace[];
  /**
   * Whether rows of the range follow in the query's order, after a page that ended by `MAX_PAGE_BYTES`. Also true where an ascending
   * page ended because it would leave too much out: then no more rows may follow.
   */
  more: boolean;
}

/** The chosen positions that exist; undefined when there are none. */
export function positionsWithin(
  select: AccountTracesQuery['select'],
  count: number,
  firstKept = 0,
): PositionRange | undefined {
  const { first, last } = select(count, firstKept);
  const range = { first: Math.max(firstKept, first), last: Math.min(last, count - 1) };
  return range.first > range.last ? undefined : range;
}

export function positionsNotStored(): HistoryError {
  return new HistoryError(
    'POSITIONS_NOT_STORED',
    'the store has no positions of traces: an earlier version began it, or it is on Elasticsearch and blocks were removed',
  );
}

/** A page ends, or is refused, when the rows that it leaves out have more bytes than this: few rows cost no unlimited reading. */
const MAX_BYTES_LEFT_OUT = 2 * MAX_PAGE_BYTES;

/** Which rows of its range a page takes. */
export interface RowSelection {
  order: 'asc' | 'desc';
  matches: (row: StoredAction) => boolean;
}

/** `parent`: the trace that the conditions name; undefined if they name none, or one that does not exist. */
export function rowSelection(
  { order = 'asc', conditions }: Pick<AccountTracesQuery, 'order' | 'conditions'>,
  parent: ParentTrace | undefined,
): RowSelection {
  if (!conditions) return { order, matches: () => true };
  const matches = (row: StoredAction): boolean =>
    matchesFilters(row.action, conditions.filters) && isWithin(row, conditions) && isOfParent(row, conditions, parent);
  return { order, matches };
}

function isWithin({ blockNum, blockTimestamp }: StoredAction, { after, before }: TraceConditions): boolean {
  const distance = (bound: NonNullable<typeof after>): number =>
    'blockNum' in bound ? blockNum - bound.blockNum : blockTimestamp - slotOf(bound.timeMs);
  return (!after || distance(after) >= 0) && (!before || distance(before) <= 0);
}

function isOfParent(row: StoredAction, { parent }: TraceConditions, trace: ParentTrace | undefined): boolean {
  if (parent === undefined) return true;
  const creator = row.action.traces[0]?.creatorOrdinal;
  if (parent === 'root') return creator === 0;
  // A contract can schedule equal deferred transactions, so that two blocks have one id.
  return row.transactionId === trace?.transactionId && row.blockNum === trace.blockNum && creator === trace.ordinal;
}

/** Gathers the rows of a page from an account's actions, transaction by transaction. */
export class AccountTraceRows {
  private readonly taken: AccountTrace[] = [];
  private bytes = 0;
  private bytesLeftOut = 0;
  private nextPosition = 0;
  private hasMore = false;

  constructor(
    private readonly account: string,
    private readonly range: PositionRange,
    private readonly selection: RowSelection,
  ) {}

  /** In the order of the selection. */
  get rows(): AccountTrace[] {
    return this.selection.order === 'asc' ? this.taken : [...this.taken].reverse();
  }

  /** Whether further transactions have no row of this page. */
  get isFull(): boolean {
    return this.nextPosition > this.range.last || (this.hasMore && this.selection.order === 'asc');
  }

  /** Whether the page ended before its range did. */
  get more(): boolean {
    return this.hasMore;
  }

  /**
   * Takes the actions that the account has in one transaction, transactions in ascending order. `position` is that of its first
   * trace in the transaction; returns that of its first one in the next. Throws `QUERY_TOO_BROAD` when more than
   * `MAX_BYTES_LEFT_OUT` are left out of a page that has no rows, or is descending.
   */
  take(actions: readonly StoredAction[], position: number): number {
    const traces = actions.flatMap((row) => tracesOfAccount(row, this.account).map((trace) => ({ ...row, trace })));
    traces.sort((left, right) => left.trace.ordinal - right.trace.ordinal);
    for (const [index, each] of traces.entries()) this.takeTrace({ ...each, position: position + index });
    this.nextPosition = position + traces.length;
    return this.nextPosition;
  }

  /** Takes one trace, for a store that knows its position; positions ascend. Throws like `take`. */
  takeTrace(row: AccountTrace): void {
    if (row.position < this.range.first || this.isFull) return;
    this.nextPosition = row.position + 1;
    if (row.position > this.range.last) return;
    const bytes = actionBytes(row);
    if (!this.selection.matches(row)) this.leaveOut(bytes);
    else if (this.selection.order === 'desc') this.addNewest(row, bytes);
    else if (this.bytes >= MAX_PAGE_BYTES) this.hasMore = true;
    else this.push(row, bytes);
  }

  /** Leaves out the oldest rows that a page from the newest row on would not reach. */
  private addNewest(row: AccountTrace, bytes: number): void {
    this.push(row, bytes);
    for (;;) {
      const oldest = actionBytes(this.taken[0] ?? row);
      if (this.bytes - oldest < MAX_PAGE_BYTES) return;
      this.taken.shift();
      this.bytes -= oldest;
      this.leaveOut(oldest);
      this.hasMore = true;
    }
  }

  private push(row: AccountTrace, bytes: number): void {
    this.taken.push(row);
    this.bytes += bytes;
  }

  /**
   * One row of any size may be left out, so that fewer positions always help. An ascending page that has rows ends instead: its last
   * row says where to go on.
   */
  private leaveOut(bytes: number): void {
    if (this.bytesLeftOut > 0 && this.bytesLeftOut + bytes > MAX_BYTES_LEFT_OUT) {
      if (this.selection.order === 'asc' && this.taken.length > 0) {
        this.hasMore = true;
        return;
      }
      throw new HistoryError(
        'QUERY_TOO_BROAD',
        'the actions at these positions are too large; ask for fewer positions',
      );
    }
    this.bytesLeftOut += bytes;
  }
}

/** The traces of an action that count for an account: all if it authorized the action, otherwise the one that it received. */
export function tracesOfAccount({ action }: Pick<StoredAction, 'action'>, account: string): ActionTrace[] {
  const { traces, authorization } = action;
  if (authorization.some(({ actor }) => actor === account)) return traces;
  const received = traces.find(({ receiver }) => receiver === account);
  return received ? [received] : [];
}
