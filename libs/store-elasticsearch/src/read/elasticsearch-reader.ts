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
import { ProgressReader, READABLE_FOR_MS, statusOf } from '../indices/progress';
import { unrestoredIndices } from '../indices/restored-blocks';
import { findAbis } from './abi-query';
import { queryAccountTraces } from './account-traces';
import { queryActions } from './actions-query';
import { findBlock, findBlockTraces } from './block-queries';
import { areSame, CommittedState, type ReadState } from './committed-state';
import { hasOwnerPermission, ownersOfActor, ownersOfKey } from './permission-query';
import { QueryCaches } from './query-caches';
import { isStillReadable, type QueryState } from './query-state';
import { findTransaction } from './transaction-query';

/** A query runs at most this many times. It runs again when its state was cleaned up before it ended. */
const MAX_TRIES = 2;
/**
 * A query begins with a progress that was read at most this long ago, while the current one is requested at the same time. The
 * time is longer than the pause between the requests of a busy process, and shorter than the time between two blocks.
 */
const BEGIN_WITHIN_MS = 250;
/**
 * ABIs are read from a state that is at most this old: far less than `READABLE_FOR_MS`, so that it is not cleaned up meanwhile.
 */
const ABI_STATE_WITHIN_MS = 2_000;

type QueryOf<T> = (state: QueryState, status: ChainStatus) => Promise<T>;

/**
 * The read side of the shared store. Each method reads only documents of the branch that one progress lists, so a result is of
 * one branch, whatever is written, undone or cleaned up meanwhile. That progress was the current one at a moment between the call
 * and its result.
 */
export class ElasticsearchReader implements StoreReader {
  private readonly searcher: Searcher;
  private readonly state: CommittedState;
  private caches = new QueryCaches();
  private closed = false;

  /** Owns `client`: `close` closes it. */
  constructor(
    private readonly client: Client,
    private readonly names: IndexNames,
    requestTimeoutSeconds: number,
  ) {
    this.searcher = new Searcher(client, requestTimeoutSeconds);
    this.state = new CommittedState(new ProgressReader(client, names), () => (this.caches = new QueryCaches()));
  }

  createListCheck(): undefined {
    return undefined;
  }

  getStatus(): Promise<ChainStatus> {
    return this.read((_, status) => Promise.resolve(status));
  }

  getActions(query: ActionsQuery): Promise<ActionsPage> {
    return this.read(async (state, status) => ({ status, ...(await queryActions(state, query)) }));
  }

  getAccountTraces(query: AccountTracesQuery): Promise<AccountTracesPage> {
    return this.read(async (state, status) => ({ status, ...(await queryAccountTraces(state, query)) }));
  }

  getTransaction(idPrefix: string, blockNumHint?: number): Promise<TransactionLookup> {
    return this.read(async (state, status) => ({
      status,
      ...(await findTransaction(state, idPrefix, blockNumHint)),
    }));
  }

  getBlock(selector: BlockSelector): Promise<BlockLookup> {
    return this.read(async (state, status) => ({ status, block: await findBlock(state, selector) }));
  }

  getBlockTraces(selector: BlockSelector): Promise<BlockTracesLookup> {
    return this.read(async (state, status) => ({ status, ...(await findBlockTraces(state, selector)) }));
  }

  async getAbis(requests: AbiRequest[], isKnown: (id: string) => boolean, maxBytes: number): Promise<AbiLookup> {
    const query: QueryOf<AbiLookup> = async (state, status) => ({
      status,
      versions: await findAbis(state, requests, { isKnown, maxBytes }, state.caches.abiVersions),
    });
    // The caller has just read these blocks from this state. Later blocks do not change which ABIs were in force at them. Only a
    // fork does, and the caller notices it by the revision in the status.
    const held = this.state.heldSince(ABI_STATE_WITHIN_MS);
    const last = held?.progress.committed?.num ?? -1;
    if (held && !this.closed && requests.every(({ blockNum }) => blockNum <= last)) {
      const found = await this.run(query, held);
      if (held.age() < READABLE_FOR_MS) return found;
    }
    return this.read(query);
  }

  hasAccount(account: string): Promise<AccountLookup> {
    return this.read(async (state, status) => ({ status, exists: await hasOwnerPermission(state, account) }));
  }

  getKeyAccounts(key: Buffer, maxAccounts = Infinity): Promise<AccountsLookup> {
    return this.read(async (state, status) => ({
      status,
      accounts: await ownersOfKey(state, keyTerm(key), maxAccounts),
    }));
  }

  getControlledAccounts(actor: string, maxAccounts = Infinity): Promise<AccountsLookup> {
    return this.read(async (state, status) => ({ status, accounts: await ownersOfActor(state, actor, maxAccounts) }));
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await closeInTime(() => this.client.close());
  }

  /**
   * Runs a query on the current progress, and again when the query took so long that its state was cleaned up meanwhile. If a
   * progress was read just before, the query begins with it while the current one is requested; its result is used only if the
   * two are the same.
   */
  private async read<T>(query: QueryOf<T>): Promise<T> {
    if (this.closed) throw new HistoryError('STOPPED', 'the store is closed');
    const held = this.state.heldSince(BEGIN_WITHIN_MS);
    let begun = held && { held, result: this.run(query, held) };
    begun?.result.catch(() => undefined);
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const current = await this.state.read();
      const result = await (begun && areSame(begun.held, current) ? begun.result : this.run(query, current));
      if (current.age() < READABLE_FOR_MS || isStillReadable(current.progress, (await this.state.read()).progress)) {
        return result;
      }
      begun = undefined;
    }
    throw new HistoryError('STORE_UNAVAILABLE', 'the state that a query reads was cleaned up while it ran');
  }

  private run<T>(query: QueryOf<T>, { progress }: ReadState): Promise<T> {
    const { searcher, names, caches } = this;
    const unreadable = unrestoredIndices(progress, names);
    return query({ searcher: searcher.forQuery(unreadable), names, progress, caches }, statusOf(progress));
  }
}
