import type { Client } from '@elastic/elasticsearch';
import type { BlockRecords, View } from '@antelope-history/records';
import type { Query, Searcher } from '../client/search';
import { asked } from '../client/store-errors';
import type { JournalDocument } from '../indices/documents';
import type { IndexNames } from '../indices/index-names';
import { journalEntryOf } from '../write/block-documents';
import { BulkRequest } from '../write/bulk-request';
import type { BulkWriter } from '../write/bulk-writer';
import type { JournalExcerpt } from './chain-order';

/** Entries asked for together: few following the head, then more. */
const FIRST_PAGE = 16;
const PAGE = 1_000;
/** Sessions that begin between two commits: a reader waits at least half a second between two. */
const MOST_SESSIONS = 100;
/** Entries removed at once. */
const MOST_REMOVED = 10_000;

/**
 * Which blocks' documents are durable, by the order in which readers sent them. An entry's id is its ordinal, so what
 * follows a view is got by id, as soon as it is durable; first messages of sessions are searched, and are visible when
 * they are durable.
 */
export class Journal {
  constructor(
    private readonly client: Client,
    private readonly names: IndexNames,
    private readonly searcher: Searcher,
    private readonly bulk: BulkWriter,
  ) {}

  /** Says that every document of the blocks is durable. */
  async add(blocks: readonly BlockRecords[]): Promise<void> {
    const request = new BulkRequest();
    for (const block of blocks) {
      const entry = journalEntryOf(block);
      request.replace(this.names.journal, entry.ordinal.toString(), JSON.stringify(entry), block.position);
      if (entry.first) request.visibleAtOnce = true;
    }
    if (blocks.length > 0) await this.bulk.write([request]);
  }

  /** What comes after a view, as far as a thousand entries or so say. */
  async read(view: View): Promise<JournalExcerpt> {
    const [following, later] = await Promise.all([this.readFollowing(view), this.readLater(view)]);
    return { ...following, ...later };
  }

  /** Removes the entries up to a view, those of older sessions too. */
  async removeUpTo({ ordinal }: View): Promise<void> {
    for (let found = MOST_REMOVED; found === MOST_REMOVED;) {
      const { hits } = await this.searcher.search({
        index: this.names.journal,
        filters: [{ range: { ordinal: { lte: ordinal } } }],
        size: MOST_REMOVED,
      });
      found = hits.length;
      const request = new BulkRequest();
      for (const { id } of hits) request.remove(this.names.journal, id);
      request.visibleAtOnce = true;
      if (found > 0) await this.bulk.write([request]);
    }
  }

  private async readLater({ session }: View): Promise<Pick<JournalExcerpt, 'firsts' | 'hasLaterSession'>> {
    const index = this.names.journal;
    const later: Query = { range: { session: { gt: session } } };
    const [firsts, newest] = await this.searcher.searchAll([
      {
        index,
        filters: [later, { term: { first: true } }],
        size: MOST_SESSIONS,
        sort: [{ session: 'desc' }],
        fetch: { _source: true },
      },
      { index, filters: [later], size: 1 },
    ]);
    return {
      firsts: (firsts?.hits ?? []).map(({ _source }) => _source as JournalDocument),
      hasLaterSession: (newest?.hits.length ?? 0) > 0,
    };
  }

  private async readFollowing({ ordinal }: View): Promise<Pick<JournalExcerpt, 'following' | 'hasMore'>> {
    const following: JournalDocument[] = [];
    for (let size = FIRST_PAGE; following.length < PAGE; size = PAGE) {
      const page = await this.readPage(ordinal + following.length + 1, size);
      following.push(...page);
      if (page.length < size) return { following, hasMore: false };
    }
    return { following, hasMore: true };
  }

  /** The entries from an ordinal on, up to the first that is missing. */
  private async readPage(from: number, size: number): Promise<JournalDocument[]> {
    const ids = Array.from({ length: size }, (_, index) => (from + index).toString());
    const { docs } = await asked(this.client.mget<JournalDocument>({ index: this.names.journal, ids, realtime: true }));
    const entries = docs.map((doc) => ('found' in doc && doc.found ? doc._source : undefined));
    const end = entries.indexOf(undefined);
    return (end < 0 ? entries : entries.slice(0, end)) as JournalDocument[];
  }
}
