import type { ActionFilter, Bound } from '@antelope-history/schemas';
import type { BlockPosition, BlockRecords } from '@antelope-history/records';
import type {
  AbiRequest,
  ChainStatus,
  StoredAction,
  StoredBlock,
  StoredBlockTransaction,
  StoredTransaction,
} from './stored';

export type { ActionFilter, Bound } from '@antelope-history/schemas';

/** Which actions, in which order, and which page of them. */
export interface ActionsQuery {
  /** Actions that it received or authorised; undefined = all actions of the chain. */
  account: string | undefined;
  /** Any of these; empty = every action. */
  filters: ActionFilter[];
  after: Bound | undefined;
  before: Bound | undefined;
  /** `root`: actions that nothing created; a number: those created by the action with that global sequence. */
  parent: 'root' | { sequence: number } | undefined;
  order: 'asc' | 'desc';
  /** Rows to skip, from the beginning of the chosen order. */
  skip: number;
  limit: number;
  /** `newest`: the newest `limit` rows whatever the order (old clients' `pos` -1); `skip` is 0 then. */
  window: 'skip' | 'newest';
}

/**
 * A page is cut, after at least one row, where its actions' own bytes (`actionBytes`) reach this: rows may hold half a
 * megabyte each, and a response shows each byte of data as four hex digits or more, of 32 MiB in all.
 */
export const MAX_PAGE_BYTES = 8 * 1024 * 1024;

/** The bytes of an action that contracts choose: its data, and what each receiver printed and returned. */
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
  /** Whether rows follow the page in the query's order: because of its limit, or because it was cut. */
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
  /** In the order of the trace API: `onblock` first, then as the block has them. Empty when there is no block. */
  transactions: StoredBlockTransaction[];
}

export interface BlockTracesLookup extends FoundBlockTraces {
  status: ChainStatus;
}

/** An ABI version; `bytes` is left out when the caller said that it knows the id, and beyond the bytes it asked for. */
export interface AbiVersion {
  /** Hash of the bytes: equal ids are equal ABIs, whatever contract, block or branch. */
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
  /** One per request, in order; undefined where the contract had no ABI there. */
  versions: (AbiVersion | undefined)[];
}

export interface AccountsLookup {
  status: ChainStatus;
  /** Sorted, each once, complete. */
  accounts: string[];
}

/**
 * The read side of the store port. Every method reads one snapshot and never sees past the committed head.
 * All reject with `STORE_UNAVAILABLE` (retry) when the store cannot be reached.
 */
export interface HistoryReader {
  getStatus(): Promise<ChainStatus>;
  getActions(query: ActionsQuery): Promise<ActionsPage>;
  /** `idPrefix`: 8 to 64 lowercase hex digits. */
  getTransaction(idPrefix: string): Promise<TransactionLookup>;
  getBlock(selector: BlockSelector): Promise<BlockLookup>;
  getBlockTraces(selector: BlockSelector): Promise<BlockTracesLookup>;
  /**
   * The ABIs in force at places of the chain. Bytes are given in the order of the requests, each version's once or more,
   * until those of different versions reach `maxBytes`: versions after that have none, known or not.
   */
  getAbis(requests: AbiRequest[], isKnown: (id: string) => boolean, maxBytes: number): Promise<AbiLookup>;
  /** `key`: canonical key bytes, the type tag and the packed key. */
  getKeyAccounts(key: Buffer): Promise<AccountsLookup>;
  getControlledAccounts(actor: string): Promise<AccountsLookup>;
}

/** Where a writer goes on, and what it may tell a node that it has. */
export interface Progress {
  status: ChainStatus;
  /** The committed blocks that a fork may still undo, and the last irreversible one of them, ascending. */
  positions: BlockPosition[];
  /** The ordinal of the newest committed message; 0 when there is none, or the store commits in the order of writing. */
  ordinal: number;
}

/**
 * The write side of the store port. An embedded store has one writer, which commits what it is given in that order. A shared
 * store has any number of writers, each given any of the blocks in any order: it commits in the order of the blocks' views
 * (`View`), as soon as all before a block is durable.
 */
export interface HistoryWriter {
  getProgress(): Promise<Progress>;
  /** Ties an empty store to a chain. Rejects with `CHAIN_ID_MISMATCH` when it holds another one. */
  setChainId(chainId: string): Promise<void>;
  /**
   * Makes blocks durable, and commits them whole and in order, progress included: a store of one writer each stretch of
   * blocks that follow one another all or nothing, a store of many what has nothing before it any more, far behind the head
   * now and then only. A block at or below the committed head undoes what stood from its number on (a fork), unless it is
   * the very block that stands there: then it was delivered again and is passed over. Resolves when durable.
   * Rejects with `BLOCK_GAP` when the next block in order follows neither the committed head nor a block below it, with
   * `FORK_TOO_DEEP` when it contradicts an irreversible one, with `BLOCK_REFUSED` when the store can never take one of
   * these; blocks before it may have been written.
   */
  writeBlocks(blocks: BlockRecords[]): Promise<ChainStatus>;
  /**
   * Commits what is durable and has nothing before it any more: a writer that was to do it may have died. Nothing to do
   * for a store of one writer. Rejects as `writeBlocks`.
   */
  commitWritten(): Promise<ChainStatus>;
}

/** An open read side. It has no method that writes. */
export interface StoreReader extends HistoryReader {
  /** Releases files and connections; later calls reject with `STOPPED`. */
  close(): Promise<void>;
}

/** An open write side. It answers no queries: the indexer needs the progress only. */
export interface StoreWriter extends HistoryWriter {
  /** Waits for the write in progress, then releases files and connections; later calls reject with `STOPPED`. */
  close(): Promise<void>;
}
