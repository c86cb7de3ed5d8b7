import type { Client } from '@elastic/elasticsearch';
import type { Query, Searcher } from '../client/search';
import { withStoreErrors, foundDocuments } from '../client/store-errors';
import type { JournalDocument, StoredStreamPosition } from '../indices/documents';
import type { IndexNames } from '../indices/index-names';
import { journalEntryOf } from '../write/block-documents';
import type { WrittenBlock } from '../write/block-writer';
import { BulkRequest } from '../write/bulk-request';
import type { BulkWriter } from '../write/bulk-writer';
import type { JournalExcerpt } from './chain-order';

/** Entries per request: few when following the head, then more. */
const FIRST_PAGE = 16;
const PAGE = 1_000;
/** The most epochs that begin between two commits: a reader waits at least half a second between epochs. */
const MAX_EPOCHS = 100;
/** The newest epochs whose messages after the first are read, too: there is one for each reader that runs. */
const MAX_READ_EPOCHS = 8;
/** Entries deleted per request. */
const MAX_REMOVED = 10_000;

/**
 * Records which blocks' documents are durable, in the order in which readers sent the blocks. An entry's id is its sequence,
 * so the entries after a position are read by id as soon as they are durable; first messages of epochs are searched, and
 * their write refreshes the index.
 */
export class Journal {
  constructor(
    private readonly client: Client,
    private readonly names: IndexNames,
    private readonly searcher: Searcher,
    private readonly bulk: BulkWriter,
  ) {}

  /**
   * Adds the entries of blocks whose documents are all durable. An entry that exists stays: the documents are those of the process
   * that was first, too, and `shorten` may have made it the first one of its epoch.
   */
  async add(blocks: readonly WrittenBlock[]): Promise<void> {
    const request = new BulkRequest();
    for (const { block, journal } of blocks) {
      const entry = journalEntryOf(block, journal);
      request.create(this.names.journal, entry.ordinal.toString(), JSON.stringify(entry), block.position);
      if (entry.first) request.visibleAtOnce = true;
    }
    if (blocks.length > 0) await this.bulk.write([request]);
  }

  /** The entries after a stream position, about a thousand at most. */
  async read(position: StoredStreamPosition): Promise<JournalExcerpt> {
    const [following, later] = await Promise.all([this.readFollowing(position), this.readLater(position)]);
    return { ...following, ...later };
  }

  /** Deletes the entries up to a stream position, including those of earlier epochs. */
  async removeUpTo({ ordinal }: StoredStreamPosition): Promise<void> {
    for (let found = MAX_REMOVED; found === MAX_REMOVED;) {
      const { hits } = await this.searcher.search({
        index: this.names.journal,
        filters: [{ range: { ordinal: { lte: ordinal } } }],
        size: MAX_REMOVED,
      });
      found = hits.length;
      const request = new BulkRequest();
      for (const { id } of hits) request.remove(this.names.journal, id);
      request.visibleAtOnce = true;
      if (found > 0) await this.bulk.write([request]);
    }
  }

  /**
   * Deletes the first entries of an epoch except the last of them, which becomes its first one: messages that only repeat the branch are
   * not read again with each commit.
   */
  async shorten(entries: readonly JournalDocument[]): Promise<void> {
    const last = entries.at(-1);
    if (!last) return;
    const request = new BulkRequest();
    request.visibleAtOnce = true;
    // Another process may have shortened the epoch further, or deleted it: the entry must not come back.
    request.change(this.names.journal, last.ordinal.toString(), JSON.stringify({ first: true }));
    for (const { ordinal } of entries.slice(0, -1)) request.remove(this.names.journal, ordinal.toString());
    await this.bulk.write([request]);
  }

  private async readLater({ session }: StoredStreamPosition): Promise<Pick<JournalExcerpt, 'later' | 'hasLaterEpoch'>> {
    const index = this.names.journal;
    const isLater: Query = { range: { session: { gt: session } } };
    const [firsts, newest] = await this.searcher.searchAll([
      {
        index,
        filters: [isLater, { term: { first: true } }],
        size: MAX_EPOCHS,
        sort: [{ session: 'desc' }],
        fetch: { _source: true },
      },
      { index, filters: [isLater], size: 1 },
    ]);
    const later = (firsts?.hits ?? []).map(async ({ _source }, index) => {
      const first = _source as JournalDocument;
      return index < MAX_READ_EPOCHS ? [first, ...(await this.readFollowing(first)).following] : [first];
    });
    return { later: await Promise.all(later), hasLaterEpoch: (newest?.hits.length ?? 0) > 0 };
  }

  private async readFollowing({
    ordinal,
  }: StoredStreamPosition): Promise<Pick<JournalExcerpt, 'following' | 'hasMore'>> {
    const following: JournalDocument[] = [];
    for (let size = FIRST_PAGE; following.length < PAGE; size = PAGE) {
      const page = await this.readPage(ordinal + following.length + 1, size);
      following.push(...page);
      if (page.length < size) return { following, hasMore: false };
    }
    return { following, hasMore: true };
  }

  /** The entries from a sequence on, up to the first missing one. */
  private async readPage(from: number, size: number): Promise<JournalDocument[]> {
    const ids = Array.from({ length: size }, (_, index) => (from + index).toString());
    const { docs } = await withStoreErrors(
      this.client.mget<JournalDocument>({ index: this.names.journal, ids, realtime: true }),
    );
    const entries = foundDocuments(docs).map((doc) => doc?._source);
    const end = entries.indexOf(undefined);
    return (end < 0 ? entries : entries.slice(0, end)) as JournalDocument[];
  }
}
