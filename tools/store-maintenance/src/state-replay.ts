import type { ActionRecord, PermissionChange } from '@antelope-history/records';
import type { StoredBlockTransaction } from '@antelope-history/store';
import { permissionChangesOf, readSetAbi } from './authority-actions';

/** Permissions that are replayed: about 365 bytes each. Those of later accounts are not compared. */
const MAX_PERMISSIONS = 2_000_000;
/** The chain itself changes its permissions with each schedule of producers, without an action (nodeos controller.cpp). */
const PRODUCERS_ACCOUNT = 'eosio.prods';

/** The authority of a permission after its last change; both lists are empty when it was removed. */
export interface ReplayedAuthority {
  blockNum: number;
  /** Canonical key bytes as latin1 text. */
  keys: string[];
  actors: string[];
}

export interface SetAbi {
  account: string;
  abi: Buffer;
  blockNum: number;
  /** Global sequence of the action that set it. */
  sequence: number;
}

/** What is known of an account's permissions. */
export interface ReplayedAccount {
  /** Whether its creation was replayed, so that it has no permissions but these. */
  isWhole: boolean;
  permissions: Map<string, ReplayedAuthority>;
}

/**
 * Replays the actions that change permissions and ABIs. The state before the first replayed block is not known, so a permission
 * is known from its first replayed change on.
 */
export class StateReplay {
  readonly accounts = new Map<string, ReplayedAccount>();
  /** All keys and actors that the replayed authorities named at any time. */
  readonly keys = new Set<string>();
  readonly actors = new Set<string>();
  /** Changes of permissions that did not fit. */
  skipped = 0;
  private permissionCount = 0;

  /**
   * Replays the actions of a block in their order; returns the ABIs that they set. A block below those before it, which was
   * unreadable until it was repaired, changes only what they have not changed. Throws `DECODE_FAILED`.
   */
  apply(blockNum: number, transactions: readonly StoredBlockTransaction[]): SetAbi[] {
    for (const action of inOrder(transactions)) {
      for (const change of permissionChangesOf(action)) this.change(change, blockNum, action.name === 'newaccount');
    }
    return setAbisOf(blockNum, transactions);
  }

  /** Adds what an earlier run has replayed of an account. */
  restore(name: string, account: ReplayedAccount): void {
    this.accounts.set(name, account);
    this.permissionCount += account.permissions.size;
  }

  private change({ owner, name, authority }: PermissionChange, blockNum: number, isCreation: boolean): void {
    if (owner === PRODUCERS_ACCOUNT) return;
    let account = this.accounts.get(owner);
    if (account && isCreation) account.isWhole = true;
    const known = account?.permissions.get(name);
    if (known && known.blockNum > blockNum) return;
    if (!known && this.permissionCount >= MAX_PERMISSIONS) {
      this.skipped++;
      if (account) account.isWhole = false;
      return;
    }
    if (!account) this.accounts.set(owner, (account = { isWhole: isCreation, permissions: new Map() }));
    if (!known) this.permissionCount++;
    const replayed = toReplayed(authority, blockNum);
    account.permissions.set(name, replayed);
    for (const key of replayed.keys) this.keys.add(key);
    for (const actor of replayed.actors) this.actors.add(actor);
  }
}

function toReplayed(authority: PermissionChange['authority'], blockNum: number): ReplayedAuthority {
  const { keys = [], actors = [] } = authority ?? {};
  return { blockNum, keys: keys.map((key) => key.toString('latin1')), actors };
}

/** The ABIs that a block's actions set, in their order. Throws `DECODE_FAILED`. */
export function setAbisOf(blockNum: number, transactions: readonly StoredBlockTransaction[]): SetAbi[] {
  return inOrder(transactions).flatMap((action) => {
    const set = readSetAbi(action);
    return set ? [{ ...set, blockNum, sequence: action.traces[0]?.receipt.globalSequence ?? 0 }] : [];
  });
}

/** The accounts whose permissions a block's actions change. */
export function changedAccounts(transactions: readonly StoredBlockTransaction[]): string[] {
  return transactions.flatMap(({ actions }) => actions.flatMap(permissionChangesOf).map(({ owner }) => owner));
}

function inOrder(transactions: readonly StoredBlockTransaction[]): ActionRecord[] {
  const sequenceOf = (action: ActionRecord): number => action.traces[0]?.receipt.globalSequence ?? 0;
  return transactions.flatMap(({ actions }) => actions).sort((left, right) => sequenceOf(left) - sequenceOf(right));
}
