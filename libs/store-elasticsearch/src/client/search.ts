import type { Client, estypes } from '@elastic/elasticsearch';
import { HistoryError } from '@antelope-history/schemas';
import { withStoreErrors, toResponseError } from './store-errors';

export type Query = estypes.QueryDslQueryContainer;
export type Aggregation = estypes.AggregationsAggregationContainer;

/** A hit of a search, or a document of a multi-get. */
export interface Hit {
  _source?: unknown;
  fields?: Record<string, unknown[]> | undefined;
}

/** A search in one index or alias. */
export interface Search {
  index: string;
  /** The least number of indices that have to respond; 1 by default. With 0 a missing index means no hits. */
  minIndices?: number;
  /** All have to match; there is no scoring. */
  filters: Query[];
  /** 0 by default: only the count or the aggregation is wanted. */
  size?: number;
  /** Rows to skip; together with `size` at most `MAX_WINDOW`. */
  from?: number;
  sort?: Record<string, 'asc' | 'desc'>[];
  searchAfter?: (number | string)[];
  /** The fields to return; see `hits.ts`. */
  fetch?: Pick<estypes.MsearchMultisearchBody, '_source' | 'docvalue_fields' | 'stored_fields'>;
  /** Whether hits have the version that replacing a document needs; otherwise it is 0. */
  withVersion?: boolean;
  /** `true`: `total` counts all matches; a number: it counts up to so many. By default it is 0. */
  count?: boolean | number;
  aggregations?: Record<string, Aggregation>;
}

/** A document in the state in which a search found it. */
export interface DocumentVersion {
  index: string;
  /** Empty in a hit of a search without stored fields. */
  id: string;
  seqNo: number;
  primaryTerm: number;
}

export interface FoundHit extends Hit, DocumentVersion {
  /** The sort values. */
  sort: number[];
}

export interface Found {
  hits: FoundHit[];
  total: number;
  aggregations: Record<string, unknown>;
}

/** The server's own limit of `from` and `size` together, `index.max_result_window`. */
export const MAX_WINDOW = 10_000;
/** The most searches in one request; each may list every reversible block. */
const MAX_SEARCHES_PER_REQUEST = 50;
/**
 * Before it searches more shards, the server asks each of them whether it can have matches, and skips those that cannot. By default it
 * also asks when a search with an order has as few as two shards. To search a shard without matches takes no longer than to ask it: asking
 * makes a search of 22 shards with rows 8 to 12 % longer, and one of 32 shards without rows 16 to 28 %.
 */
const MAX_SHARDS_UNFILTERED = 128;
/** The server's time limit is shorter than the client's, so that the server reports the reason. */
const SERVER_SHARE_OF_TIMEOUT = 0.9;

const NOTHING: Found = { hits: [], total: 0, aggregations: {} };

/**
 * Runs searches that return complete results or none: a search that timed out, or that a shard did not respond to, rejects with
 * `STORE_UNAVAILABLE`, whatever hits it has.
 */
export class Searcher {
  private readonly timeout: string;

  constructor(
    readonly client: Client,
    private readonly requestTimeoutSeconds: number,
  ) {
    this.timeout = `${Math.max(1, Math.floor(requestTimeoutSeconds * 1000 * SERVER_SHARE_OF_TIMEOUT))}ms`;
  }

  /** A searcher for one query. `unreadable`: indices that it does not read, because they lack documents. */
  forQuery(unreadable: ReadonlySet<string>): Searcher {
    return new QuerySearcher(this.client, this.requestTimeoutSeconds, unreadable);
  }

  async search(search: Search): Promise<Found> {
    const [found] = await this.searchAll([search]);
    return found as Found;
  }

  /** Returns results in the order of the searches, in one round trip per `MAX_SEARCHES_PER_REQUEST`. */
  async searchAll(searches: readonly Search[]): Promise<Found[]> {
    const found: Found[] = [];
    for (let start = 0; start < searches.length; start += MAX_SEARCHES_PER_REQUEST) {
      const some = searches.slice(start, start + MAX_SEARCHES_PER_REQUEST);
      const responses = await this.request(some);
      found.push(...responses.map((response, index) => foundIn(response, some[index] as Search)));
    }
    return found;
  }

  /** Sends searches in one request; resolves with a response to each, in their order. */
  protected async request(searches: readonly Search[]): Promise<estypes.MsearchResponseItem[]> {
    const { responses } = await withStoreErrors(
      this.client.msearch({
        pre_filter_shard_size: MAX_SHARDS_UNFILTERED,
        searches: searches.flatMap((search): estypes.MsearchRequestItem[] => [
          { index: search.index, allow_partial_search_results: false },
          this.bodyOf(search),
        ]),
      }),
    );
    if (responses.length !== searches.length) throw incomplete('responses are missing');
    return responses;
  }

  private bodyOf(search: Search): estypes.MsearchMultisearchBody {
    return {
      query: { bool: { filter: search.filters } },
      size: search.size ?? 0,
      track_total_hits: search.count ?? false,
      timeout: this.timeout,
      _source: false,
      ...search.fetch,
      ...(search.from && { from: search.from }),
      ...(search.withVersion && { seq_no_primary_term: true }),
      ...(search.sort && { sort: search.sort }),
      ...(search.searchAfter && { search_after: search.searchAfter }),
      ...(search.aggregations && { aggregations: search.aggregations }),
    };
  }
}

/**
 * The searches of one query: those that begin at once travel in one request, and each succeeds or fails alone. Queries do not share a
 * request, because it ends when its slowest search does.
 */
class QuerySearcher extends Searcher {
  private waiting: Waiting[] = [];

  constructor(
    client: Client,
    requestTimeoutSeconds: number,
    private readonly unreadable: ReadonlySet<string>,
  ) {
    super(client, requestTimeoutSeconds);
  }

  override async searchAll(searches: readonly Search[]): Promise<Found[]> {
    for (const search of searches) this.assertReadable(search);
    return super.searchAll(searches);
  }

  override async search(search: Search): Promise<Found> {
    this.assertReadable(search);
    return new Promise((resolve, reject) => {
      if (this.waiting.length === 0) queueMicrotask(() => void this.sendWaiting());
      this.waiting.push({ search, resolve, reject });
    });
  }

  private assertReadable({ index }: Search): void {
    if (this.unreadable.size === 0) return;
    const lacking = index.split(',').find((each) => this.unreadable.has(each));
    if (lacking) throw incomplete(`${lacking} is being restored`);
  }

  private async sendWaiting(): Promise<void> {
    const waiting = this.waiting;
    this.waiting = [];
    try {
      const responses = await this.request(waiting.map(({ search }) => search));
      for (const [index, response] of responses.entries()) settle(waiting[index] as Waiting, response);
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }
}

interface Waiting {
  search: Search;
  resolve: (found: Found) => void;
  reject: (reason: unknown) => void;
}

function settle({ search, resolve, reject }: Waiting, response: estypes.MsearchResponseItem): void {
  try {
    resolve(foundIn(response, search));
  } catch (error) {
    reject(error);
  }
}

/** The result in a response; throws `STORE_UNAVAILABLE` when it is incomplete. */
function foundIn(response: estypes.MsearchResponseItem, { minIndices = 1 }: Search): Found {
  if ('error' in response) {
    if (response.error.type !== 'index_not_found_exception')
      throw toResponseError(response.status, response.error.type);
    if (minIndices === 0) return NOTHING;
    throw incomplete('an index is missing');
  }
  const { failed, successful, total } = response._shards;
  if (response.timed_out) throw incomplete('a search ran out of time');
  if (failed > 0 || successful < total) throw incomplete(`${total - successful} of ${total} shards did not respond`);
  // An alias does not report an index that it lost. Each index has one shard, or more by another template.
  if (total < minIndices) throw incomplete(`${minIndices - total} of ${minIndices} indices are missing`);
  const counted = response.hits.total;
  return {
    hits: response.hits.hits.map(
      ({ _index, _id, _seq_no: seqNo = 0, _primary_term: primaryTerm = 0, _source, fields, sort }) => ({
        index: _index,
        id: _id ?? '',
        seqNo,
        primaryTerm,
        _source,
        fields,
        sort: (sort ?? []) as number[],
      }),
    ),
    total: typeof counted === 'object' ? counted.value : (counted ?? 0),
    aggregations: response.aggregations ?? {},
  };
}

/** Committed data is incomplete: an index was lost, or is being dropped. */
export function incomplete(what: string): HistoryError {
  return new HistoryError('STORE_UNAVAILABLE', `Elasticsearch returned an incomplete result: ${what}`);
}
