import { setImmediate } from 'node:timers/promises';
import { HistoryError } from '@antelope-history/schemas';
import type {
  AbiRequest,
  AccountTracesPage,
  AccountTracesQuery,
  ChainStatus,
  StoredBlock,
  AbiLookup,
  AccountLookup,
  AccountsLookup,
  ActionsPage,
  ActionsQuery,
  BlockLookup,
  BlockSelector,
  BlockTracesLookup,
  ListCheck,
  ListCheckOptions,
  SearchPause,
  StoreReader,
  TransactionLookup,
} from '@antelope-history/store';
import type { BlockIndexEntry } from '../format/block-index';
import { createFactReader, readBlockIndex, readStatus } from '../format/chain-facts';
import type { DataFile } from '../format/data-file';
import { assertUndamaged } from '../format/damage';
import type { Snapshot, Tables } from '../format/tables';
import { queryAccountTraces } from './account-traces';
import { queryActions, queryChildren } from './actions-query';
import { DataSearch, SLICE_STEPS } from './data-search';
import { findAbis } from './find-abis';
import { hasOwnerPermission, OwnerTables } from './find-owners';
import { LmdbListCheck } from './list-check';
import { readStoredBlock } from './stored-block';
import { queryTransaction, transactionsOfBlock } from './transaction-query';

/**
 * The read side of the embedded store. Each method reads one LMDB snapshot, so it sees whole batches only. Methods reject with
 * `STORE_DAMAGED` when a commit was lost, and with `STORE_UNAVAILABLE` when the data directory was replaced.
 */
export class LmdbReader implements StoreReader {
  private closed = false;
  /** Each holds a snapshot, with which the environment must not be closed. */
  private readonly partialReads = new Set<Promise<unknown>>();
  private readonly readFact = createFactReader();

  private readonly owners: OwnerTables;

  constructor(
    private readonly tables: Tables,
    private readonly file: DataFile,
  ) {
    this.owners = new OwnerTables(tables.root);
  }

  createListCheck(options: ListCheckOptions): ListCheck {
    return new LmdbListCheck(this.tables, options, (query) => this.read(query));
  }

  getStatus(): Promise<ChainStatus> {
    return this.read((_, status) => status);
  }

  async getActions(query: ActionsQuery, pause: SearchPause = () => setImmediate()): Promise<ActionsPage> {
    const { parent } = query;
    if (typeof parent === 'object') {
      return this.readInParts(
        (snapshot, status) => queryChildren(this.tables, query, parent.sequence, status, snapshot),
        pause,
      );
    }
    const search = new DataSearch(query);
    for (;;) {
      const page = await this.read((snapshot, status) => queryActions(this.tables, query, search, status, snapshot));
      if (page) return page;
      await pause(SLICE_STEPS);
    }
  }

  getAccountTraces(query: AccountTracesQuery, pause?: SearchPause): Promise<AccountTracesPage> {
    return this.readInParts((snapshot, status) => queryAccountTraces(this.tables, query, status, snapshot), pause);
  }

  getTransaction(idPrefix: string, blockNumHint?: number, pause?: SearchPause): Promise<TransactionLookup> {
    const hint = { idPrefix, blockNumHint };
    return this.readInParts((snapshot, status) => queryTransaction(this.tables, hint, status, snapshot), pause);
  }

  getBlock(selector: BlockSelector): Promise<BlockLookup> {
    return this.read((snapshot, status) => ({ status, block: this.findBlock(selector, status, snapshot)?.block }));
  }

  getBlockTraces(selector: BlockSelector, pause?: SearchPause): Promise<BlockTracesLookup> {
    const { tables } = this;
    const find = this.findBlock.bind(this);
    return this.readInParts(function* (snapshot, status) {
      const found = find(selector, status, snapshot);
      if (!found) return { status, block: undefined, transactions: [] };
      return { status, block: found.block, transactions: yield* transactionsOfBlock(tables, found.entry, snapshot) };
    }, pause);
  }

  getAbis(requests: AbiRequest[], isKnown: (id: string) => boolean, maxBytes: number): Promise<AbiLookup> {
    return this.read((snapshot, status) => ({
      status,
      versions: findAbis(this.tables, requests, { isKnown, maxBytes }, snapshot),
    }));
  }

  hasAccount(account: string): Promise<AccountLookup> {
    return this.read((snapshot, status) => ({ status, exists: hasOwnerPermission(this.tables, account, snapshot) }));
  }

  getKeyAccounts(key: Buffer, maxAccounts = Infinity, pause?: SearchPause): Promise<AccountsLookup> {
    return this.listAccounts((snapshot) => this.owners.ofKey(key, maxAccounts, snapshot), pause);
  }

  getControlledAccounts(actor: string, maxAccounts = Infinity, pause?: SearchPause): Promise<AccountsLookup> {
    return this.listAccounts((snapshot) => this.owners.ofActor(actor, maxAccounts, snapshot), pause);
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await Promise.allSettled(this.partialReads);
    await this.tables.root.close();
  }

  private listAccounts(
    list: (snapshot: Snapshot) => Generator<number, string[]>,
    pause?: SearchPause,
  ): Promise<AccountsLookup> {
    return this.readInParts(function* (snapshot, status) {
      return { status, accounts: yield* list(snapshot) };
    }, pause);
  }

  /** Reads from one snapshot, which the process holds during the pauses between the parts. */
  private readInParts<T>(
    read: (snapshot: Snapshot, status: ChainStatus) => Generator<number, T>,
    pause: SearchPause = () => setImmediate(),
  ): Promise<T> {
    const result = this.readPartByPart(read, pause);
    this.partialReads.add(result);
    const forget = (): void => void this.partialReads.delete(result);
    result.then(forget, forget);
    return result;
  }

  private async readPartByPart<T>(
    read: (snapshot: Snapshot, status: ChainStatus) => Generator<number, T>,
    pause: SearchPause,
  ): Promise<T> {
    const { snapshot, status } = this.openSnapshot();
    const parts = read(snapshot, status);
    try {
      for (;;) {
        const { done, value } = parts.next();
        if (done) return value;
        await pause(value);
        this.assertOpen();
      }
    } finally {
      parts.return(undefined as never);
      snapshot.done();
    }
  }

  private async read<T>(query: (snapshot: Snapshot, status: ChainStatus) => T): Promise<T> {
    const { snapshot, status } = this.openSnapshot();
    try {
      return query(snapshot, status);
    } finally {
      snapshot.done();
    }
  }

  /** The caller has to call `done` of the snapshot. */
  private openSnapshot(): { snapshot: Snapshot; status: ChainStatus } {
    this.assertOpen();
    this.file.assertLatelyInPlace();
    const { root } = this.tables;
    // The library reuses a read transaction within one turn of the event loop and would miss a commit of another handle.
    root.resetReadTxn();
    const snapshot = root.useReadTransaction();
    try {
      assertUndamaged(this.tables, snapshot, this.readFact);
      return { snapshot, status: readStatus(this.tables, snapshot, this.readFact) };
    } catch (error) {
      snapshot.done();
      throw error;
    }
  }

  private assertOpen(): void {
    if (this.closed) throw new HistoryError('STOPPED', 'the store is closed');
  }

  private findBlock(
    selector: BlockSelector,
    status: ChainStatus,
    snapshot: Snapshot,
  ): { block: StoredBlock; entry: BlockIndexEntry } | undefined {
    const num = blockNumOf(selector, status);
    if (num === undefined || !status.committed || num > status.committed.num) return undefined;
    const entry = readBlockIndex(this.tables, num, snapshot);
    if (!entry || (typeof selector === 'object' && 'id' in selector && selector.id !== entry.id)) return undefined;
    const block = readStoredBlock(this.tables, num, entry, snapshot);
    return block && { block, entry };
  }
}

/** A block's id begins with its number (nodeos block_header.cpp, calculate_id). */
function blockNumOf(selector: BlockSelector, status: ChainStatus): number | undefined {
  if (selector === 'latest') return status.committed?.num;
  return 'num' in selector ? selector.num : parseInt(selector.id.slice(0, 8), 16);
}
