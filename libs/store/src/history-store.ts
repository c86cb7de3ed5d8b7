import type { DataField } from '@antelope-history/data-fields';
import type { BlockRecords } from '@antelope-history/records';
import type { ActionFilter, BlockPosition, Bound } from '@antelope-history/schemas';
export type { ActionFilter, Bound } from '@antelope-history/schemas';
import type { AccountTracesPage, AccountTracesQuery } from './account-traces';
import type { ListCheck, ListCheckOptions } from './list-check';
import type {
  AbiRequest,
  ChainStatus,
  StoredAction,
  StoredBlock,
  StoredBlockTransaction,
  StoredTransaction,
} from './stored';

/** A value that one of the fields in an action's data has to have. */
export interface DataCondition {
  /** Alternatives, of different actions. The store indexes each in all blocks that the query's bounds allow. */
  fields: readonly DataField[];
  /** See `dataText` of `@antelope-history/data-fields`. */
  text: string;
}

/** Selects actions, their order and a page of them. */
export interface ActionsQuery {
  /** Actions that this account received or authorised; undefined = all actions of the chain. */
  account: string | undefined;
  /** An action has to match one of these; empty = every action. */
  filters: ActionFilter[];
  /** Each has to hold. */
  data: readonly DataCondition[];
  after: Bound | undefined;
  before: Bound | undefined;
  /** `root`: actions that no action created; a number: those created by the trace, also a notification, with that global sequence. */
  parent: 'root' | { sequence: number } | undefined;
  /** By the sequences of `ActionEntry`. */
  order: 'asc' | 'desc';
  /** Rows to skip from the beginning of the order. */
  skip: number;
  limit: number;
  /** `newest`: the newest `limit` rows in either order (`pos` -1 of get_actions); `skip` is 0 then. */
  window: 'skip' | 'newest';
}

/**
 * A page ends, after at least one row, when its actions' own bytes (`actionBytes`) reach this. A row may have half a megabyte,
 * and a response of at most 32 MiB shows each byte of data as four hex digits or more.
 */
export const MAX_PAGE_BYTES = 8 * 1024 * 1024;

/** The bytes of an action that contracts choose: its data, and each receiver's console output and return value. */
export function actionBytes({ action }: StoredAction): number {
  return action.traces.reduce(
    (bytes, { console, returnValue }) => bytes + console.length + returnValue.length,
    action.data.length,
  );
}

/** The rows of one page. */
export interface ActionRows {
  /** In the query's order. */
  rows: StoredAction[];
  /** Whether further rows follow in the query's order, after a full page or a page that ended by `MAX_PAGE_BYTES`. */
  more: boolean;
}

export interface ActionsPage extends ActionRows {
  status: ChainStatus;
}

/** Whether one transaction's id begins with the prefix, several do, or none. */
export type FoundTransaction = { found: 'one'; transaction: StoredTransaction } | { found: 'none' | 'several' };

export type TransactionLookup = FoundTransaction & { status: ChainStatus };

export type BlockSelector = { num: number } | { id: string } | 'latest';

export interface BlockLookup {
  status: ChainStatus;
  block: StoredBlock | undefined;
}

export interface FoundBlockTraces {
  block: StoredBlock | undefined;
  /** In the order of the trace API: `onblock` first, then in block order. Empty when there is no block. */
  transactions: StoredBlockTransaction[];
}

export interface BlockTracesLookup extends FoundBlockTraces {
  status: ChainStatus;
}

/** An ABI version. `bytes` is undefined when the caller knows the id, and after `maxBytes` were returned. */
export interface AbiVersion {
  /** The hash of the bytes: equal ids are equal ABIs, whatever the contract, block or branch. */
  id: string;
  bytes: Buffer | undefined;
}

/** Which ABI versions are returned with their bytes: those that the caller does not know, until they reach `maxBytes`. */
export interface AbiBytesWanted {
  isKnown: (id: string) => boolean;
  maxBytes: number;
}

export interface AbiLookup {
  status: ChainStatus;
  /** One per request, in order; undefined where the contract had no ABI. */
  versions: (AbiVersion | undefined)[];
}

export interface AccountLookup {
  status: ChainStatus;
  /** Whether it has the permission `owner`, which every account has from its creation on, for ever. */
  exists: boolean;
}

export interface AccountsLookup {
  status: ChainStatus;
  /** Sorted, without duplicates, complete. */
  accounts: string[];
}

/** Waits until a search or a long read in this thread may go on; `steps` were taken since the last call, each of about 0.1 µs. */
export type SearchPause = (steps: number) => Promise<void>;

/**
 * The read side of the store port. Each method reads one state, up to the committed head at most, which `status` of its result
 * describes; what is not there is undefined, or an empty list. Each rejects with
 * `STORE_UNAVAILABLE` (retryable) when the store cannot be reached, and with `STOPPED` after it was closed.
 */
export interface HistoryReader {
  /** The committed head, the last irreversible block, the first stored block, and the first block of each indexed data field. */
  getStatus(): Promise<ChainStatus>;
  /**
   * Rejects with `QUERY_TOO_BROAD` when a search is too long. `pause` is called between the slices of a long search, and between the
   * parts of a transaction whose actions by one parent are asked for, and may reject to end it.
   */
  getActions(query: ActionsQuery, pause?: SearchPause): Promise<ActionsPage>;
  /**
   * Rejects with `POSITIONS_NOT_STORED` when a version that did not count an account's traces began the store. `pause` is called between
   * the parts of a long read, and may reject to end it: the order of one transaction's traces shows only when all of them were read.
   */
  getAccountTraces(query: AccountTracesQuery, pause?: SearchPause): Promise<AccountTracesPage>;
  /**
   * `idPrefix`: 8 to 64 lowercase hex digits. The earliest of several transactions with one id, unless block `blockNumHint`
   * has one: a contract can schedule equal deferred transactions. The hint of a prefix is not used. `pause` is called between the parts
   * of a long transaction, and may reject to end the read.
   */
  getTransaction(idPrefix: string, blockNumHint?: number, pause?: SearchPause): Promise<TransactionLookup>;
  /** A block by its number or id, without its actions. One that came without its contents, `latest` too, counts as not there. */
  getBlock(selector: BlockSelector): Promise<BlockLookup>;
  /** A block with all its actions, ascending by global sequence. `pause` is called as by `getTransaction`. */
  getBlockTraces(selector: BlockSelector, pause?: SearchPause): Promise<BlockTracesLookup>;
  /**
   * The ABI in force at each requested position: that of the last change before it, valid or not; none after an empty one. Versions
   * have bytes in the order of the requests until the bytes of distinct versions reach `maxBytes`; later ones have none, whether
   * known or not.
   */
  getAbis(requests: AbiRequest[], isKnown: (id: string) => boolean, maxBytes: number): Promise<AbiLookup>;
  /** Whether the account exists: whether it has the permission `owner`. */
  hasAccount(account: string): Promise<AccountLookup>;
  /**
   * The accounts of which a permission names a key, ascending, each once. `key`: canonical key bytes, the type tag and the packed key.
   * Rejects with `TOO_MANY_ACCOUNTS` (`tooManyAccounts`) when there are more than `maxAccounts`. `pause` is called between the parts of a
   * long list, and may reject to end it.
   */
  getKeyAccounts(key: Buffer, maxAccounts?: number, pause?: SearchPause): Promise<AccountsLookup>;
  /** The accounts of which a permission names the account `actor`, ascending, each once. Rejects like `getKeyAccounts`. */
  getControlledAccounts(actor: string, maxAccounts?: number, pause?: SearchPause): Promise<AccountsLookup>;
}

/** The committed state that a writer continues from, and that a reader reports to a node. */
export interface Progress {
  status: ChainStatus;
  /**
   * Committed blocks, ascending: the first of the history and those that `isListedPosition` lists. They show a reader where a
   * node's branch leaves that of the store, and whether the node is on another chain.
   */
  positions: BlockPosition[];
  /** The sequence of the newest committed message; 0 when there is none. */
  sequence: number;
}

/**
 * The write side of the store port. An embedded store has one writer and commits blocks in the order of writes, except those
 * whose `streamPosition` is not above that of a block that it took before: they were delivered again. A shared store has any number
 * of writers, each of which may receive any blocks in any order; it commits in the order of the blocks' `streamPosition`, as
 * soon as every block before one is durable. All methods may be called while a write is in progress, except for another `writeBlocks`.
 */
export interface HistoryWriter {
  getProgress(): Promise<Progress>;
  /** Ties an empty store to a chain. Rejects with `CHAIN_ID_MISMATCH` when it holds another one. */
  setChainId(chainId: string): Promise<void>;
  /**
   * Makes blocks durable and commits whole blocks in order, together with the progress. A store of one writer commits each run
   * of consecutive blocks atomically. A store of many writers commits the blocks with no gap before them, and far behind the
   * head it does so at intervals. A block at or below the committed head undoes the blocks from its number on (a fork), unless
   * it is the committed block itself, delivered again, or a removed one: then it is ignored, and `Progress.sequence` stays. A fork that
   * reaches the first block, or one below it, begins the history again. Resolves when the blocks are durable, except those that
   * `postpone` was called for: the caller writes them again later, because they need the state after blocks that other writers have.
   * Without `postpone` they are written with the state that is known; a store of one writer never calls it.
   * Rejects with `BLOCK_GAP` when the next block in order follows neither the committed head nor a block below it, with
   * `ABI_OUTDATED` when its data was decoded with another ABI than the one in force (it then has to be sent again), with
   * `FORK_TOO_DEEP` when it contradicts an irreversible one, with `BLOCK_REFUSED` when the store can never accept one of the
   * blocks; blocks before it may have been written.
   */
  writeBlocks(blocks: BlockRecords[], postpone?: (block: BlockRecords) => void): Promise<ChainStatus>;
  /**
   * Does what is due without a new block; call it about every second. A store of many writers commits durable blocks with no gap
   * before them, whose writer may have died, and cleans while the chain stands still. A store of one writer applies the repairs that other processes ask
   * for, and removes old blocks. Rejects as `writeBlocks`.
   */
  maintain(): Promise<ChainStatus>;
}

/** An open read side. It has no method that writes. */
export interface StoreReader extends HistoryReader {
  /** Begins a check of the store's lists; undefined where a server derives them from the documents that have the blocks. */
  createListCheck(options: ListCheckOptions): ListCheck | undefined;
  /** Releases files and connections; later calls reject with `STOPPED`, except for `close`. */
  close(): Promise<void>;
}

/** An open write side. It has no queries: the indexer needs the progress only. */
export interface StoreWriter extends HistoryWriter {
  /** Free bytes on the disk that holds the data; of several disks, on the fullest. Rejects with `STORE_UNAVAILABLE` and `STOPPED`. */
  readFreeBytes(): Promise<number>;
  /**
   * Releases files and connections after the write in progress has ended: committed, or, on a server, given up. Later calls reject with
   * `STOPPED`, except for `close`.
   */
  close(): Promise<void>;
}

/**
 * Replaces blocks that are stored wrong (`npm run repair`), also while other processes write to the store and read from it. It
 * has no part in committing: it changes neither the committed head nor the contents of other blocks.
 */
export interface StoreRepairer {
  /**
   * Replaces all that is stored of irreversible blocks, which are given in ascending order: the block, its transactions and
   * actions, its ABIs, and those of its permissions that no later block has changed. Of the lists of actions, those of data values
   * change. Resolves when queries see the blocks as given. Leaves out blocks that the store has removed because it keeps only the
   * newest ones. May be repeated after any failure. Rejects with `REPAIR_REFUSED` when a block is not committed, not irreversible
   * yet, or does not follow the stored one before it.
   */
  repairBlocks(blocks: BlockRecords[]): Promise<void>;
  close(): Promise<void>;
}
