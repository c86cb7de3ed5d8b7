import type { Client } from '@elastic/elasticsearch';
import type {
  AbiRequest,
  ChainStatus,
  AbiLookup,
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
import { emptyProgress, ProgressReader, statusOf } from '../indices/progress';
import { findAbis } from './abi-query';
import { queryActions } from './actions-query';
import { findBlock, findBlockTraces } from './block-queries';
import { ownersOfActor, ownersOfKey } from './permission-query';
import type { Snapshot } from './snapshot';
import { findTransaction } from './transaction-query';

/**
 * The read side of the shared store. Every method reads the progress first, and of what lies in the indices the branch that
 * it names: so it answers of one branch, whatever is being written, undone or cleaned up meanwhile.
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

  getStatus(): Promise<ChainStatus> {
    return this.read((_, status) => Promise.resolve(status));
  }

  getActions(query: ActionsQuery): Promise<ActionsPage> {
    return this.read(async (snapshot, status) => ({ status, ...(await queryActions(snapshot, query)) }));
  }

  getTransaction(idPrefix: string): Promise<TransactionLookup> {
    return this.read(async (snapshot, status) => ({ status, ...(await findTransaction(snapshot, idPrefix)) }));
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

  private async read<T>(query: (snapshot: Snapshot, status: ChainStatus) => Promise<T>): Promise<T> {
    if (this.closed) throw new HistoryError('STOPPED', 'the store is closed');
    const { searcher, names } = this;
    const progress = (await this.progress.read())?.progress ?? emptyProgress(1);
    return query({ searcher, names, progress }, statusOf(progress));
  }
}
