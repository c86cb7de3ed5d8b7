import type { Client } from '@elastic/elasticsearch';
import type {
  AbiRequest,
  AccountTracesPage,
  AccountTracesQuery,
  ChainStatus,
  AbiLookup,
  AccountLookup,
  AccountsLookup,
  ActionsPage,
  ActionsQuery,
  BlockLookup,
  BlockSelector,
  BlockTracesLookup,
  StoreReader,
  TransactionLookup,
} from '@antelope-history/store';
import { HistoryError } from '@antelope-history/schemas';
import { closeInTime } from '../client/client';
import { Searcher } from '../client/search';
import { keyTerm, type IndexNames } from '../indices/index-names';
import type { ProgressDocument } from '../indices/documents';
import { emptyProgress, ProgressReader, statusOf } from '../indices/progress';
import { findAbis } from './abi-query';
import { queryAccountTraces } from './account-traces';
import { queryActions } from './actions-query';
import { findBlock, findBlockTraces } from './block-queries';
import { hasOwnerPermission, ownersOfActor, ownersOfKey } from './permission-query';
import { isStillReadable, measureAge, SNAPSHOT_AGE_MS, type Snapshot } from './snapshot';
import { findTransaction } from './transaction-query';

/** How often a query is run that takes longer than a state is kept. */
const MOST_TRIES = 2;

/**
 * The read side of the shared store. Each method reads the progress first and then only documents of the branch that it lists,
 * so a result is of one branch, whatever is written, undone or cleaned up meanwhile.
 */
export class ElasticsearchReader implements StoreReader {
  private readonly searcher: Searcher;
  private readonly progress: ProgressReader;
  private closed = false;

  /** Owns `client`: `close` closes it. */
  constructor(
    private readonly client: Client,
    private readonly names: IndexNames,
    requestTimeoutSeconds: number,
  ) {
    this.searcher = new Searcher(client, requestTimeoutSeconds);
    this.progress = new ProgressReader(client, names);
  }

  createListCheck(): undefined {
    return undefined;
  }

  getStatus(): Promise<ChainStatus> {
    return this.read((_, status) => Promise.resolve(status));
  }

  getActions(query: ActionsQuery): Promise<ActionsPage> {
    return this.read(async (snapshot, status) => ({ status, ...(await queryActions(snapshot, query)) }));
  }

  getAccountTraces(query: AccountTracesQuery): Promise<AccountTracesPage> {
    return this.read(async (snapshot, status) => ({ status, ...(await queryAccountTraces(snapshot, query)) }));
  }

  getTransaction(idPrefix: string, blockNumHint?: number): Promise<TransactionLookup> {
    return this.read(async (snapshot, status) => ({
      status,
      ...(await findTransaction(snapshot, idPrefix, blockNumHint)),
    }));
  }

  getBlock(selector: BlockSelector): Promise<BlockLookup> {
    return this.read(async (snapshot, status) => ({ status, block: await findBlock(snapshot, selector) }));
  }

  getBlockTraces(selector: BlockSelector): Promise<BlockTracesLookup> {
    return this.read(async (snapshot, status) => ({ status, ...(await findBlockTraces(snapshot, selector)) }));
  }

  getAbis(requests: AbiRequest[], isKnown: (id: string) => boolean, maxBytes: number): Promise<AbiLookup> {
    return this.read(async (snapshot, status) => ({
      status,
      versions: await findAbis(snapshot, requests, { isKnown, maxBytes }),
    }));
  }

  hasAccount(account: string): Promise<AccountLookup> {
    return this.read(async (snapshot, status) => ({ status, exists: await hasOwnerPermission(snapshot, account) }));
  }

  getKeyAccounts(key: Buffer): Promise<AccountsLookup> {
    return this.read(async (snapshot, status) => ({ status, accounts: await ownersOfKey(snapshot, keyTerm(key)) }));
  }

  getControlledAccounts(actor: string): Promise<AccountsLookup> {
    return this.read(async (snapshot, status) => ({ status, accounts: await ownersOfActor(snapshot, actor) }));
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await closeInTime(() => this.client.close());
  }

  /** Runs a query on the progress of now, and again when the query took so long that its state was cleaned up meanwhile. */
  private async read<T>(query: (snapshot: Snapshot, status: ChainStatus) => Promise<T>): Promise<T> {
    if (this.closed) throw new HistoryError('STOPPED', 'the store is closed');
    const { searcher, names } = this;
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const age = measureAge();
      const progress = await this.readProgress();
      const result = await query({ searcher, names, progress }, statusOf(progress));
      if (age() < SNAPSHOT_AGE_MS || isStillReadable(progress, await this.readProgress())) return result;
    }
    throw new HistoryError('STORE_UNAVAILABLE', 'the state that a query reads was cleaned up while it ran');
  }

  private async readProgress(): Promise<ProgressDocument> {
    return (await this.progress.read())?.progress ?? emptyProgress(1);
  }
}
