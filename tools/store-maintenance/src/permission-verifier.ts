import { type AccountsLookup, type ChainStatus, type HistoryReader, isRemovedBlock } from '@antelope-history/store';
import type { StoredFault } from './chain-verifier';
import { readBlocks } from './read-blocks';
import { changedAccounts, type ReplayedAuthority, type StateReplay } from './state-replay';

/** Searches that a store on a server responds to at once. */
const SEARCHES_AT_ONCE = 8;

/** A search of accounts, with the accounts that it must return at least: those with the block of their permission. */
interface AccountSearch {
  term: string;
  find(): Promise<AccountsLookup>;
  expected: Map<string, number>;
}

/**
 * Compares the searches of accounts by key and by controlling account with the replayed permissions. The stored permissions are
 * those of the committed head: accounts whose permissions change above the last replayed block are not compared.
 */
export class PermissionVerifier {
  private readonly changedLater = new Set<string>();
  /** The blocks whose changes `changedLater` has: those above `replayedTo`, in this state. */
  private covered: { num: number; revision: number };
  /** Whether blocks above `replayedTo` were removed before they were read, or cannot be read: what they change is not known. */
  private isOvertaken = false;
  /** By block number: several searches may read the same block. */
  private readonly corrupt = new Map<number, StoredFault>();

  constructor(
    private readonly reader: HistoryReader,
    private readonly replay: StateReplay,
    private readonly replayedTo: number,
  ) {
    this.covered = { num: replayedTo, revision: -1 };
  }

  /**
   * Compares every key and every account that a replayed authority ever named. Ends early when `signal` is aborted. Resolves with
   * false when they could not be compared, because the store removed blocks above the replayed ones, or cannot read them.
   */
  async verify(signal: AbortSignal, onFault: (fault: StoredFault) => void): Promise<boolean> {
    await this.cover(await this.reader.getStatus());
    const found = new Set<string>();
    const searches = this.searches();
    const work = async (): Promise<void> => {
      for (const search of searches) {
        if (signal.aborted || this.isOvertaken) return;
        for (const fault of await this.compare(search)) {
          if (found.has(fault.detail)) continue;
          found.add(fault.detail);
          onFault(fault);
        }
      }
    };
    await Promise.all(Array.from({ length: SEARCHES_AT_ONCE }, work));
    for (const fault of this.corrupt.values()) onFault(fault);
    return !this.isOvertaken;
  }

  private *searches(): Generator<AccountSearch> {
    const ofKeys = this.expectedBy(({ keys }) => keys);
    for (const key of this.replay.keys) {
      const bytes = Buffer.from(key, 'latin1');
      const find = (): Promise<AccountsLookup> => this.reader.getKeyAccounts(bytes);
      yield { term: `key ${bytes.toString('hex')}`, find, expected: ofKeys.get(key) ?? new Map<string, number>() };
    }
    const ofActors = this.expectedBy(({ actors }) => actors);
    for (const actor of this.replay.actors) {
      const find = (): Promise<AccountsLookup> => this.reader.getControlledAccounts(actor);
      yield { term: `account ${actor}`, find, expected: ofActors.get(actor) ?? new Map<string, number>() };
    }
  }

  /** The owners of the permissions that name each term. */
  private expectedBy(termsOf: (authority: ReplayedAuthority) => string[]): Map<string, Map<string, number>> {
    const expected = new Map<string, Map<string, number>>();
    for (const [owner, { permissions }] of this.replay.accounts) {
      for (const authority of permissions.values()) {
        for (const term of termsOf(authority)) {
          let owners = expected.get(term);
          if (!owners) expected.set(term, (owners = new Map<string, number>()));
          owners.set(owner, authority.blockNum);
        }
      }
    }
    return expected;
  }

  private async compare({ term, find, expected }: AccountSearch): Promise<StoredFault[]> {
    const { status, accounts } = await find();
    await this.cover(status);
    if (this.isOvertaken) return [];
    const stored = new Set(accounts);
    const faults: StoredFault[] = [];
    for (const [owner, blockNum] of expected) {
      if (stored.has(owner) || this.changedLater.has(owner)) continue;
      const detail = `${owner} is not found by the ${term} of its permission`;
      faults.push({ blockNum, code: 'permission', detail, account: owner });
    }
    for (const owner of accounts) {
      const account = this.replay.accounts.get(owner);
      if (expected.has(owner) || !account?.isWhole || this.changedLater.has(owner)) continue;
      const blockNum = Math.max(...[...account.permissions.values()].map((each) => each.blockNum));
      const detail = `${owner} is found by the ${term}, which it does not name`;
      faults.push({ blockNum, code: 'permission', detail, account: owner });
    }
    return faults;
  }

  /** Reads which permissions change above the replayed blocks up to the state that a search has read. */
  private async cover({ committed, revision }: ChainStatus): Promise<void> {
    const to = committed?.num ?? this.replayedTo;
    if (revision === this.covered.revision && to <= this.covered.num) return;
    const from = revision === this.covered.revision ? this.covered.num : this.replayedTo;
    let num = from;
    for await (const read of readBlocks(this.reader, from + 1, to)) {
      num++;
      if ('unreadable' in read) {
        this.isOvertaken = true;
        this.corrupt.set(num, { blockNum: num, code: 'corrupt', detail: read.unreadable });
        continue;
      }
      const { status, block, transactions } = read.found;
      this.isOvertaken ||= !block && isRemovedBlock(num, status);
      for (const owner of changedAccounts(transactions)) this.changedLater.add(owner);
    }
    this.covered = { num: to, revision };
  }
}
