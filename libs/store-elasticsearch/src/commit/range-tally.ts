import { createHash } from 'node:crypto';
import { type DirectoryEntry, MAX_ACTION_COUNTS, WHOLE_CHAIN } from '../indices/directory';
import type { TalliedAction } from '../indices/tallied-action';

interface AccountTally {
  rows: number;
  traces: number;
  actions: Map<string, number> | undefined;
}

const HASH_VALUES = 2 ** 32;
/** What an account adds to the size besides its counts per action. */
const ACCOUNT_SIZE = 4;

/**
 * Counts the rows of accounts in one range. A contract can name any number of accounts: when the counts would take too much memory,
 * the tally goes on with a part of the accounts, and another pass over the range counts the others.
 */
export class RangeTally {
  private readonly accounts = new Map<string, AccountTally>();
  private size = 0;
  /** Accounts whose hash is from `start` to below this are counted. */
  private end = HASH_VALUES;

  /** `maxSize`: counts and accounts together. */
  constructor(
    private readonly start: number,
    private readonly maxSize: number,
  ) {}

  /** Where the next pass starts; undefined when no account is left. */
  get next(): number | undefined {
    return this.end < HASH_VALUES ? this.end : undefined;
  }

  add({ accounts, contract, name, authorizers, furtherTraces }: TalliedAction): void {
    const key = `${contract}:${name}`;
    this.count(WHOLE_CHAIN, undefined, 1 + furtherTraces);
    for (const account of accounts) this.count(account, key, 1 + (authorizers.includes(account) ? furtherTraces : 0));
    while (this.size > this.maxSize && this.accounts.size > 1) this.narrow();
  }

  *entries(range: number): Generator<[account: string, entry: DirectoryEntry]> {
    for (const [account, { rows, traces, actions }] of this.accounts) {
      yield [account, { range, rows, traces, ...(actions && { actions: Object.fromEntries(actions) }) }];
    }
  }

  private count(account: string, action: string | undefined, traces: number): void {
    let tally = this.accounts.get(account);
    if (!tally) {
      if (!this.includes(account)) return;
      tally = { rows: 0, traces: 0, actions: action === undefined ? undefined : new Map() };
      this.accounts.set(account, tally);
      this.size += ACCOUNT_SIZE;
    }
    tally.rows++;
    tally.traces += traces;
    if (action === undefined || !tally.actions) return;
    const count = tally.actions.get(action);
    tally.actions.set(action, (count ?? 0) + 1);
    if (count !== undefined) return;
    this.size++;
    if (tally.actions.size <= MAX_ACTION_COUNTS) return;
    this.size -= tally.actions.size;
    tally.actions = undefined;
  }

  private includes(account: string): boolean {
    const hash = hashOf(account);
    return hash >= this.start && hash < this.end;
  }

  /** Leaves the upper half of the accounts to a later pass. */
  private narrow(): void {
    this.end = this.start + Math.max(1, Math.floor((this.end - this.start) / 2));
    for (const [account, { actions }] of this.accounts) {
      if (this.includes(account)) continue;
      this.accounts.delete(account);
      this.size -= ACCOUNT_SIZE + (actions?.size ?? 0);
    }
  }
}

function hashOf(account: string): number {
  return createHash('sha256').update(account).digest().readUInt32BE(0);
}
