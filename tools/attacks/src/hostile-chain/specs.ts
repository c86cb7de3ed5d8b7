/** What an attack puts on the chain; whatever is left out is as in an ordinary transaction. */
export interface ActionSpec {
  account: string;
  name: string;
  data: Buffer;
  authorization?: PermissionLevel[];
  /** Accounts that the contract notifies, in this order. */
  notified?: string[];
  /** Actions that the contract sends, after its notifications. */
  inline?: ActionSpec[];
  console?: Buffer;
  /** Accounts whose RAM use the action changes. */
  ramDeltas?: string[];
  returnValue?: Buffer;
  /** The ABI that the action sets. */
  abi?: { account: string; bytes: Buffer };
  expected?: Expectation;
}

export interface PermissionLevel {
  actor: string;
  permission: string;
}

/**
 * What an action's data decode to: `json` exactly, or, where it may not fit, that or the hex of the data. Data that
 * are `undecodable` are given as hex.
 */
export type Expectation = { json: string; mayBeHex: boolean } | 'undecodable';

export interface TransactionSpec {
  actions: ActionSpec[];
  /** `delayed`: accepted for later, so that the block has the transaction and SHiP no action of it. */
  status?: 'executed' | 'delayed';
  contextFreeActions?: ActionSpec[];
  contextFreeData?: Buffer[];
  compressed?: boolean;
  /** Each with its type tag. */
  signatures?: Buffer[];
  /** Bytes after the end of the packed transaction. */
  trailing?: Buffer;
  /** Bytes after the end of the compressed stream. */
  afterStream?: Buffer;
  extensions?: { type: number; data: Buffer }[];
}

/** A row of the `permission` table, after the block. */
export interface PermissionSpec {
  owner: string;
  name: string;
  parent: string;
  /** Each with its type tag. */
  keys: Buffer[];
  accounts: PermissionLevel[];
  present?: boolean;
}

export interface BlockSpec {
  transactions?: TransactionSpec[];
  permissions?: PermissionSpec[];
}
