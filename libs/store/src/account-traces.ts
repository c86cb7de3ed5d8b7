import type { ActionTrace } from '@antelope-history/records';
import { HistoryError } from '@antelope-history/schemas';
import { actionBytes, MAX_PAGE_BYTES } from './history-store';
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
  /** Chooses the positions, given how many traces the account has. */
  select: (count: number) => PositionRange;
}

export interface AccountTrace extends StoredAction {
  position: number;
  /** The trace of `action` that has the position. */
  trace: ActionTrace;
}

export interface AccountTracesPage {
  status: ChainStatus;
  /** Ascending by position. */
  rows: AccountTrace[];
  /** Whether the page ended by `MAX_PAGE_BYTES` before the range did. */
  more: boolean;
}

/** The chosen positions that exist; undefined when there are none. */
export function positionsWithin(select: AccountTracesQuery['select'], count: number): PositionRange | undefined {
  const { first, last } = select(count);
  const range = { first: Math.max(0, first), last: Math.min(last, count - 1) };
  return range.first > range.last ? undefined : range;
}

export function positionsNotStored(): HistoryError {
  return new HistoryError(
    'POSITIONS_NOT_STORED',
    'the store has no positions of traces: an earlier version began it, or it is on Elasticsearch and blocks were removed',
  );
}

/** Gathers the rows of a page from an account's actions, transaction by transaction. */
export class AccountTraceRows {
  readonly rows: AccountTrace[] = [];
  private bytes = 0;

  constructor(
    private readonly account: string,
    private readonly range: PositionRange,
  ) {}

  /** Whether further transactions have no row of this page. */
  get isFull(): boolean {
    return this.isLarge || (this.rows.at(-1)?.position ?? -1) >= this.range.last;
  }

  /** Whether the page ended before its range did. */
  get more(): boolean {
    return this.isLarge && (this.rows.at(-1)?.position ?? -1) < this.range.last;
  }

  /**
   * Takes the actions that the account has in one transaction. `position` is that of its first trace in the transaction; returns
   * that of its first one in the next.
   */
  take(actions: readonly StoredAction[], position: number): number {
    const traces = actions.flatMap((row) => tracesOfAccount(row, this.account).map((trace) => ({ ...row, trace })));
    traces.sort((left, right) => left.trace.ordinal - right.trace.ordinal);
    for (const [index, each] of traces.entries()) this.add({ ...each, position: position + index });
    return position + traces.length;
  }

  private get isLarge(): boolean {
    return this.bytes >= MAX_PAGE_BYTES;
  }

  private add(row: AccountTrace): void {
    if (row.position < this.range.first || row.position > this.range.last || this.isLarge) return;
    this.rows.push(row);
    this.bytes += actionBytes(row);
  }
}

/** The traces of an action that count for an account: all if it authorized the action, otherwise the one that it received. */
export function tracesOfAccount({ action }: StoredAction, account: string): ActionTrace[] {
  const { traces, authorization } = action;
  if (authorization.some(({ actor }) => actor === account)) return traces;
  const received = traces.find(({ receiver }) => receiver === account);
  return received ? [received] : [];
}
