import type { ContractAbi } from './contract-abi';

export interface Authority {
  threshold: number;
  /** `PUB_…` keys. */
  keys: { key: string; weight: number }[];
  accounts: { permission: { actor: string; permission: string }; weight: number }[];
  waits: { wait_sec: number; weight: number }[];
}

export interface Permission {
  owner: string;
  name: string;
  parent: string;
  auth: Authority;
}

/** The state of the chain after a block, as far as the responses depend on it. */
export class ChainState {
  globalSequence = 0;

  constructor(
    private readonly received = new Map<string, number>(),
    private readonly authorized = new Map<string, number>(),
    private readonly abiSequences = new Map<string, number>(),
    readonly abis = new Map<string, ContractAbi>(),
    readonly permissions = new Map<string, Permission>(),
    /** What the block changes: its deltas. */
    readonly changedAbis = new Set<string>(),
    readonly changedPermissions = new Set<string>(),
  ) {}

  /** The state at the beginning of the next block. */
  next(): ChainState {
    const copied = new ChainState(
      new Map(this.received),
      new Map(this.authorized),
      new Map(this.abiSequences),
      new Map(this.abis),
      new Map(this.permissions),
    );
    copied.globalSequence = this.globalSequence;
    return copied;
  }

  nextGlobal(): number {
    return ++this.globalSequence;
  }

  nextReceived(account: string): number {
    return increment(this.received, account);
  }

  nextAuthorized(account: string): number {
    return increment(this.authorized, account);
  }

  abiSequence(account: string): number {
    return this.abiSequences.get(account) ?? 0;
  }

  setAbi(account: string, abi: ContractAbi): void {
    increment(this.abiSequences, account);
    this.abis.set(account, abi);
    this.changedAbis.add(account);
  }

  setPermission(permission: Permission): void {
    const key = permissionKey(permission);
    this.permissions.set(key, permission);
    this.changedPermissions.add(key);
  }

  deletePermission(permission: Pick<Permission, 'owner' | 'name'>): void {
    const key = permissionKey(permission);
    this.permissions.delete(key);
    this.changedPermissions.add(key);
  }
}

export function permissionKey({ owner, name }: Pick<Permission, 'owner' | 'name'>): string {
  return `${owner}@${name}`;
}

function increment(counts: Map<string, number>, account: string): number {
  const next = (counts.get(account) ?? 0) + 1;
  counts.set(account, next);
  return next;
}
