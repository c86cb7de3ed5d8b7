import type { Client } from '@elastic/elasticsearch';
import { HistoryError } from '@antelope-history/schemas';
import { refreshIndices } from '../client/refresh';
import type { Searcher } from '../client/search';
import { withStoreErrors, foundDocuments } from '../client/store-errors';
import { rangeLast, rangeStart } from '../indices/block-ranges';
import type { ProgressDocument } from '../indices/documents';
import type { ListedTransaction } from '../indices/block-execution';
import { directoryBlocks, type DirectoryDocument, type DirectoryEntry, directoryIndex } from '../indices/directory';
import { type ActionList, findTallied } from '../indices/found-actions';
import { FETCH_LISTED, listedIn } from '../indices/hits';
import type { IndexNames } from '../indices/index-names';
import { layoutOf, type ReadProgress } from '../indices/progress';
import { isRestored } from '../indices/restored-blocks';
import { BulkRequest } from '../write/bulk-request';
import { type BulkWriter, ConflictError } from '../write/bulk-writer';
import type { IndexProvisioner } from '../write/index-provisioner';
import { type ProgressStore, withRewriteCounted } from './progress-store';
import { RangeTally } from './range-tally';
import { groupTransactions } from './transaction-groups';

export interface DirectoryRules {
  /** For this time other processes leave a range to the one that has begun to add it. */
  claimMs: number;
  /** The most counts in memory. */
  maxTallySize: number;
}

const BODIES_AT_ONCE = 100;
const ACCOUNTS_AT_ONCE = 500;
/** Transactions whose groups are written in one request, or those of one block more. */
const TRANSACTIONS_AT_ONCE = 5_000;
/** Each conflict means that another process has written the same documents, or changed the progress. */
const MAX_TRIES = 50;

/**
 * Adds clean ranges to the directory, one after another. Any process may do so at any time, and stop at any point: every
 * process writes the same entries for a range, and queries use them only after the progress names the range as complete.
 */
export class DirectoryBuilder {
  /** When this process claimed a range last. It goes on with a claim that a failed attempt has left. */
  private claimedAt: number | undefined;

  constructor(
    private readonly parts: {
      client: Client;
      names: IndexNames;
      searcher: Searcher;
      bulk: BulkWriter;
      progress: ProgressStore;
      indices: IndexProvisioner;
    },
    private readonly rules: DirectoryRules,
  ) {}

  /**
   * Adds the next clean range; false when there is none, or another process adds it. Rejects, naming the blocks, when something that is
   * stored of them does not decode.
   */
  async addNext(): Promise<boolean> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const read = await this.parts.progress.read();
      const range = read && nextRange(read.progress);
      if (!read || range === undefined || this.isClaimed(range, read.progress)) return false;
      if (await this.isLost(range, read.progress)) {
        // Another directory is built: a new index would have nothing of the ranges that the lost one had. If the progress has changed, the
        // index may be missing because another directory has been built already.
        await this.parts.progress.replace(read, withRewriteCounted(read.progress));
        continue;
      }
      if (!(await this.claim(read, range))) continue;
      await this.addRange(range, read.progress).catch((error: unknown) => {
        throw namingBlocks(error, range, read.progress);
      });
      return this.record(range, read.progress);
    }
    return false;
  }

  /** Whether the index of the range has earlier ranges and was deleted. */
  private async isLost(range: number, progress: ProgressDocument): Promise<boolean> {
    const { names, indices } = this.parts;
    const covered = directoryBlocks(progress);
    const index = directoryIndex(names, range, progress);
    return (
      covered !== undefined && index === directoryIndex(names, covered.last, progress) && !(await indices.exists(index))
    );
  }

  /** Whether another process has begun to add the range. The clock decides about needless work only. */
  private isClaimed(range: number, { directory }: ProgressDocument): boolean {
    const { claim } = directory ?? {};
    if (claim?.range !== range || claim.at === this.claimedAt) return false;
    return Math.abs(Date.now() - claim.at) < this.rules.claimMs;
  }

  /** Tells the other processes that this one adds the range; false when one of them has changed the progress. */
  private claim(read: ReadProgress, range: number): Promise<boolean> {
    const { directory, rewrites = 0 } = read.progress;
    const to = directory?.rewrites === rewrites ? directory.to : 0;
    this.claimedAt = Date.now();
    const claim = { range, at: this.claimedAt };
    return this.parts.progress.replace(read, { ...read.progress, directory: { rewrites, to, claim } });
  }

  private async addRange(range: number, progress: ProgressDocument): Promise<void> {
    const index = directoryIndex(this.parts.names, range, progress);
    await this.parts.indices.ensureDirectory(index);
    let start: number | undefined = 0;
    while (start !== undefined) {
      const tally: RangeTally = await this.tally(range, progress, start);
      await this.writeEntries(index, tally.entries(range));
      start = tally.next;
    }
    await this.parts.bulk.write(this.groupRequests(index, range, progress));
    await refreshIndices(this.parts.client, index);
  }

  private async tally(range: number, progress: ProgressDocument, start: number): Promise<RangeTally> {
    const tally = new RangeTally(start, this.rules.maxTallySize);
    const { searcher, names } = this.parts;
    const index = names.ranged('actions', range, progress);
    // The order of the index: a page costs the same wherever it is.
    const list: ActionList = { index, filters: [ofHistory(progress)], order: 'desc' };
    for await (const chunk of findTallied(searcher, layoutOf(progress), list)) {
      for (const action of chunk) tally.add(action);
    }
    return tally;
  }

  private async writeEntries(index: string, entries: Iterable<[string, DirectoryEntry]>): Promise<void> {
    let some: [string, DirectoryEntry][] = [];
    for (const entry of entries) {
      some.push(entry);
      if (some.length < ACCOUNTS_AT_ONCE) continue;
      await this.addEntries(index, some);
      some = [];
    }
    if (some.length > 0) await this.addEntries(index, some);
  }

  /** Adds the entries to the documents of their accounts, unless they have them. */
  private async addEntries(index: string, entries: readonly [string, DirectoryEntry][]): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        const request = await this.requestFor(index, entries);
        if (request.count > 0) await this.parts.bulk.write([request]);
        return;
      } catch (error) {
        if (!(error instanceof ConflictError) || tries === MAX_TRIES) throw error;
      }
    }
  }

  private async requestFor(index: string, entries: readonly [string, DirectoryEntry][]): Promise<BulkRequest> {
    const ids = entries.map(([account]) => account);
    const { docs } = await withStoreErrors(this.parts.client.mget<DirectoryDocument>({ index, ids }));
    const request = new BulkRequest();
    request.failsOnConflict = true;
    for (const [position, found] of foundDocuments(docs).entries()) {
      const [account, entry] = entries[position] as [string, DirectoryEntry];
      const ranges = found?._source?.ranges ?? [];
      if (ranges.some(({ range }) => range === entry.range)) continue;
      const json = JSON.stringify({ ranges: [...ranges, entry].sort((one, other) => one.range - other.range) });
      if (!found) request.create(index, account, json);
      else {
        const { _seq_no: seqNo = 0, _primary_term: primaryTerm = 0 } = found;
        request.replaceSame({ index, id: account, seqNo, primaryTerm }, json);
      }
    }
    return request;
  }

  private async *groupRequests(index: string, range: number, progress: ProgressDocument): AsyncGenerator<BulkRequest> {
    let transactions: ListedTransaction[] = [];
    let count = 0;
    const flush = (): BulkRequest => {
      const request = new BulkRequest();
      for (const document of groupTransactions(range, transactions)) {
        request.replace(index, `ids-${range}-${count++}`, JSON.stringify(document));
      }
      transactions = [];
      return request;
    };
    for await (const ofBlock of this.transactionsOf(range, progress)) {
      for (const transaction of ofBlock) transactions.push(transaction);
      if (transactions.length >= TRANSACTIONS_AT_ONCE) yield flush();
    }
    if (transactions.length > 0) yield flush();
  }

  /** The transactions of each block, in the order of the blocks. */
  private async *transactionsOf(range: number, progress: ProgressDocument): AsyncGenerator<ListedTransaction[]> {
    let last: number | undefined;
    for (;;) {
      const { hits } = await this.parts.searcher.search({
        index: this.parts.names.ranged('bodies', range, progress),
        filters: [ofHistory(progress)],
        size: BODIES_AT_ONCE,
        sort: [{ block_num: 'asc' }],
        fetch: FETCH_LISTED,
        ...(last !== undefined && { searchAfter: [last] }),
      });
      for (const hit of hits) yield listedIn(hit);
      if (hits.length < BODIES_AT_ONCE) return;
      last = hits.at(-1)?.sort[0];
    }
  }

  /** Lets queries use the range; false when blocks were rewritten, or another process has recorded it. */
  private async record(range: number, { rewrites = 0 }: ProgressDocument): Promise<boolean> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const read = await this.parts.progress.read();
      const { progress } = read ?? {};
      if (!read || !progress || (progress.rewrites ?? 0) !== rewrites || nextRange(progress) !== range) return false;
      const directory = { rewrites, to: rangeLast(range, progress) + 1 };
      if (await this.parts.progress.replace(read, { ...progress, directory })) return true;
    }
    return false;
  }
}

/**
 * The first block number of the next range to add; undefined when it is not clean yet, or has blocks that a repair rewrites or has yet to
 * restore: a query of rows that the directory lacks would leave them out.
 */
function nextRange(progress: ProgressDocument): number | undefined {
  const { directory, rewrites = 0, rewriting, first_block_num: first, clean_up_to: cleanUpTo } = progress;
  if (first === undefined || rewriting) return undefined;
  const to = directory?.rewrites === rewrites ? directory.to : 0;
  const range = Math.max(to, rangeStart(first, progress));
  const last = rangeLast(range, progress);
  return last <= cleanUpTo && isRestored({ first: range, last }, progress) ? range : undefined;
}

/** Blocks below the history are no part of it. */
function ofHistory({ first_block_num: first = 0 }: ProgressDocument) {
  return { range: { block_num: { gte: first } } };
}

/** An error of adding a range that says which blocks it is about. */
function namingBlocks(error: unknown, range: number, progress: ProgressDocument): unknown {
  if (!(error instanceof HistoryError) || error.retryable) return error;
  const [first, last] = [rangeStart(range, progress), rangeLast(range, progress)];
  const what = `the blocks from ${first} to ${last} cannot be added to the directory, and queries search all of them`;
  return new HistoryError(error.code, `${what}: ${error.message}; npm run verify finds damage`, { cause: error });
}
