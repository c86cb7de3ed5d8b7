import { setImmediate } from 'node:timers/promises';
import { HistoryError } from '@antelope-history/schemas';
import type {
  AbiRequest,
  AccountTracesPage,
  AccountTracesQuery,
  ChainStatus,
  StoredBlock,
  StoredBlockTransaction,
  StoredTransaction,
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
import { decodeBlockBody } from '../format/block-body';
import type { BlockIndexEntry } from '../format/block-index';
import { createFactReader, readBlockIndex, readStatus } from '../format/chain-facts';
import type { DataFile } from '../format/data-file';
import { assertUndamaged, damagedValue } from '../format/damage';
import { blockKey, ID_PREFIX_BYTES, readSequence, sequenceKey, transactionKey } from '../format/keys';
import { keysWithPrefix, type Snapshot, type Tables } from '../format/tables';
import { decodePagedAction, TracePage, type PagedTransaction } from '../format/trace-page';
import { queryAccountTraces } from './account-traces';
import { queryActions } from './actions-query';
import { DataSearch, SLICE_STEPS } from './data-search';
import { findAbis } from './find-abis';
import { hasOwnerPermission, OwnerTables } from './find-owners';
import { LmdbListCheck } from './list-check';
import { PageReader, type LocatedTransaction } from './page-reader';

const ID_DIGITS = 64;

/**
 * The read side of the embedded store. Each method reads one LMDB snapshot, so it sees whole batches only. Methods reject with
 * `STORE_DAMAGED` when a commit was lost, and with `STORE_UNAVAILABLE` when the data directory was replaced.
 */
export class LmdbReader implements StoreReader {
  private closed = false;
  /** Lists that are being read: each holds a snapshot, with which the environment must not be closed. */
  private readonly lists = new Set<Promise<unknown>>();
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
    const search = new DataSearch(query);
    for (;;) {
      const page = await this.read((snapshot, status) => queryActions(this.tables, query, search, status, snapshot));
      if (page) return page;
      await pause(SLICE_STEPS);
    }
  }

  getAccountTraces(query: AccountTracesQuery): Promise<AccountTracesPage> {
    return this.read((snapshot, status) => queryAccountTraces(this.tables, query, status, snapshot));
  }

  getTransaction(idPrefix: string, blockNumHint?: number): Promise<TransactionLookup> {
    return this.read((snapshot, status): TransactionLookup => {
      const hinted = this.transactionAtHint(idPrefix, blockNumHint, snapshot);
      if (hinted) return { found: 'one', status, transaction: this.storedTransaction(hinted, snapshot) };
      const matches = this.transactionsWithPrefix(idPrefix, snapshot);
      const [located, ...others] = matches;
      if (!located) return { found: 'none', status };
      if (others.length > 0) return { found: 'several', status };
      return { found: 'one', status, transaction: this.storedTransaction(located, snapshot) };
    });
  }

  getBlock(selector: BlockSelector): Promise<BlockLookup> {
    return this.read((snapshot, status) => ({ status, block: this.findBlock(selector, status, snapshot)?.block }));
  }

  getBlockTraces(selector: BlockSelector): Promise<BlockTracesLookup> {
    return this.read((snapshot, status) => {
      const found = this.findBlock(selector, status, snapshot);
      if (!found) return { status, block: undefined, transactions: [] };
      return { status, block: found.block, transactions: this.transactionsOf(found.entry, snapshot) };
    });
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
    await Promise.allSettled(this.lists);
    await this.tables.root.close();
  }

  /** Reads a list of one snapshot, which the process holds during the pauses between its parts. */
  private listAccounts(
    list: (snapshot: Snapshot) => Generator<number, string[]>,
    pause: SearchPause = () => setImmediate(),
  ): Promise<AccountsLookup> {
    const listed = this.readInParts(list, pause);
    this.lists.add(listed);
    const forget = (): void => void this.lists.delete(listed);
    listed.then(forget, forget);
    return listed;
  }

  private async readInParts(
    list: (snapshot: Snapshot) => Generator<number, string[]>,
    pause: SearchPause,
  ): Promise<AccountsLookup> {
    const { snapshot, status } = this.openSnapshot();
    const parts = list(snapshot);
    try {
      for (;;) {
        const { done, value } = parts.next();
        if (done) return { status, accounts: value };
        await pause(value);
        this.assertOpen();
      }
    } finally {
      parts.return([]);
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

  /** The transaction with a whole id in the hinted block. */
  private transactionAtHint(
    id: string,
    blockNum: number | undefined,
    snapshot: Snapshot,
  ): LocatedTransaction | undefined {
    const block = id.length === ID_DIGITS && blockNum !== undefined && readBlockIndex(this.tables, blockNum, snapshot);
    if (!block) return undefined;
    const bytes = Buffer.from(id, 'hex');
    const start = transactionKey(bytes, block.firstSequence);
    const end = transactionKey(bytes, block.endSequence);
    const pages = new PageReader(this.tables, snapshot);
    for (const key of this.tables.transactions.getKeys({ start, end, transaction: snapshot })) {
      const located = pages.transactionAt(readSequence(key, ID_PREFIX_BYTES));
      if (located?.facts.transactionId === id) return located;
    }
    return undefined;
  }

  /** The transactions whose id begins with the prefix, at most two: a third would not change the result. */
  private transactionsWithPrefix(idPrefix: string, snapshot: Snapshot): LocatedTransaction[] {
    const wholeBytes = Math.min(idPrefix.length >> 1, ID_PREFIX_BYTES);
    const pages = new PageReader(this.tables, snapshot);
    const matches: LocatedTransaction[] = [];
    const start = Buffer.from(idPrefix.slice(0, wholeBytes * 2), 'hex');
    for (const key of keysWithPrefix<Buffer>(this.tables.transactions, start, snapshot)) {
      if (!mayBegin(key, idPrefix)) continue;
      const located = pages.transactionAt(readSequence(key, ID_PREFIX_BYTES));
      const id = located?.facts.transactionId;
      if (!located || !id?.startsWith(idPrefix) || matches.some(({ facts }) => facts.transactionId === id)) continue;
      matches.push(located);
      if (matches.length === 2) break;
    }
    return matches;
  }

  private storedTransaction(located: LocatedTransaction, snapshot: Snapshot): StoredTransaction {
    const { blockNum, blockId, blockTimestamp, transactionId } = located.facts;
    const record = (located.parts[0] as PagedTransaction).record;
    const block = this.readBlock(blockNum, readBlockIndex(this.tables, blockNum, snapshot), snapshot);
    return {
      id: transactionId,
      blockNum,
      blockId,
      blockTimestamp,
      block: block?.block ?? Buffer.alloc(0),
      receiptIndex: record.receiptIndex,
      record,
      actions: located.parts.flatMap((part) => part.actions.map((action) => decodePagedAction(part, action))),
    };
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
    const block = this.readBlock(num, entry, snapshot);
    return block && { block, entry };
  }

  private readBlock(num: number, entry: BlockIndexEntry | undefined, snapshot: Snapshot): StoredBlock | undefined {
    const stored = entry?.hasBlock && this.tables.blockBodies.get(blockKey(num), { transaction: snapshot });
    if (!entry || !stored) return undefined;
    const body = decodeBlockBody(stored, entry.firstSequence);
    // A packed block begins with its time (nodeos block_header.hpp).
    if (body.block.length < 4 || body.block.readUInt32LE(0) !== entry.timestamp) throw damagedValue(`block ${num}`);
    return { position: { num, id: entry.id }, ...body };
  }

  private transactionsOf(entry: BlockIndexEntry, snapshot: Snapshot): StoredBlockTransaction[] {
    const transactions: StoredBlockTransaction[] = [];
    const range = { start: sequenceKey(entry.firstSequence), end: sequenceKey(entry.endSequence) };
    for (const { value } of this.tables.pages.getRange({ ...range, transaction: snapshot })) {
      const page = new TracePage(value);
      if (page.blockId !== entry.id) throw damagedValue(`a page of block ${entry.id}`);
      for (const part of page.transactions) {
        const actions = part.actions.map((action) => decodePagedAction(part, action));
        if (part.continued) transactions.at(-1)?.actions.push(...actions);
        else transactions.push({ record: part.record, actions });
      }
    }
    return transactions;
  }
}

/** Whether the id in a key can begin with the prefix: the key holds only the id's first bytes. */
function mayBegin(key: Buffer, idPrefix: string): boolean {
  const known = key.toString('hex', 0, ID_PREFIX_BYTES);
  return known.startsWith(idPrefix.slice(0, known.length));
}

/** A block's id begins with its number (nodeos block_header.cpp, calculate_id). */
function blockNumOf(selector: BlockSelector, status: ChainStatus): number | undefined {
  if (selector === 'latest') return status.committed?.num;
  return 'num' in selector ? selector.num : parseInt(selector.id.slice(0, 8), 16);
}
