import type { Client, estypes } from '@elastic/elasticsearch';
import { HistoryError } from '@antelope-history/schemas';
import { asked, toAnswerError } from './store-errors';

export type Query = estypes.QueryDslQueryContainer;

/** A hit of a search, or a document of a multi-get. */
export interface Hit {
  _source?: unknown;
  fields?: Record<string, unknown[]> | undefined;
}

/** A search in one index or alias. */
export interface Search {
  index: string;
  /** How many indices there are at the least, 1 unless given; with 0, where there is none nothing is found. */
  fewest?: number;
  /** All must hold; nothing is scored. */
  filters: Query[];
  /** 0 when it is not given: what is wanted is the count or the aggregation. */
  size?: number;
  /** Rows to pass over; with `size` at most `MAX_WINDOW`. */
  from?: number;
  sort?: Record<string, 'asc' | 'desc'>[];
  searchAfter?: number[];
  /** What of each document; see `hits.ts`. */
  fetch?: Pick<estypes.MsearchMultisearchBody, '_source' | 'docvalue_fields'>;
  /** Whether all that match are counted: else `total` is 0. */
  count?: boolean;
  aggregations?: Record<string, estypes.AggregationsAggregationContainer>;
}

export interface FoundHit extends Hit {
  index: string;
  id: string;
  /** The values that it was sorted by. */
  sort: number[];
}

export interface Found {
  hits: FoundHit[];
  total: number;
  aggregations: Record<string, unknown>;
}

/** The server's own limit of `from` and `size` together, `index.max_result_window`. */
export const MAX_WINDOW = 10_000;
/** Searches that one request carries; each may name every reversible block. */
const MAX_SEARCHES_PER_REQUEST = 50;
/** The server gives up before the client does, which would not know why. */
const SERVER_SHARE_OF_TIMEOUT = 0.9;

const NOTHING: Found = { hits: [], total: 0, aggregations: {} };

/**
 * Searches that answer whole or not at all: one that ran out of time, or that a shard did not answer, rejects with
 * `STORE_UNAVAILABLE`, however many hits it has.
 */
export class Searcher {
  private readonly timeout: string;

  constructor(
    readonly client: Client,
    requestTimeoutSeconds: number,
  ) {
    this.timeout = `${Math.max(1, Math.floor(requestTimeoutSeconds * 1000 * SERVER_SHARE_OF_TIMEOUT))}ms`;
  }

  async search(search: Search): Promise<Found> {
    const [found] = await this.searchAll([search]);
    return found as Found;
  }

  /** Answers in the order of the searches, in one round trip unless they are very many. */
  async searchAll(searches: readonly Search[]): Promise<Found[]> {
    const found: Found[] = [];
    for (let start = 0; start < searches.length; start += MAX_SEARCHES_PER_REQUEST) {
      found.push(...(await this.searchSome(searches.slice(start, start + MAX_SEARCHES_PER_REQUEST))));
    }
    return found;
  }

  private async searchSome(searches: readonly Search[]): Promise<Found[]> {
    const { responses } = await asked(
      this.client.msearch({
        searches: searches.flatMap((search): estypes.MsearchRequestItem[] => [
          { index: search.index, allow_partial_search_results: false },
          this.bodyOf(search),
        ]),
      }),
    );
    if (responses.length !== searches.length) throw incomplete('answers are missing');
    return responses.map((response, index) => foundIn(response, searches[index] as Search));
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
      ...(search.sort && { sort: search.sort }),
      ...(search.searchAfter && { search_after: search.searchAfter }),
      ...(search.aggregations && { aggregations: search.aggregations }),
    };
  }
}

/** Takes an answer for what it is; throws when it is not all of it. */
function foundIn(response: estypes.MsearchResponseItem, { fewest = 1 }: Search): Found {
  if ('error' in response) {
    if (response.error.type !== 'index_not_found_exception') throw toAnswerError(response.status, response.error.type);
    if (fewest === 0) return NOTHING;
    throw incomplete('an index is missing');
  }
  const { failed, successful, total } = response._shards;
  if (response.timed_out) throw incomplete('a search ran out of time');
  if (failed > 0 || successful < total) throw incomplete(`${total - successful} of ${total} shards did not answer`);
  // An alias says nothing of an index that it has lost; each has one shard, or more by somebody's template.
  if (total < fewest) throw incomplete(`${fewest - total} of ${fewest} indices are missing`);
  const counted = response.hits.total;
  return {
    hits: response.hits.hits.map(({ _index, _id, _source, fields, sort }) => ({
      index: _index,
      id: _id as string,
      _source,
      fields,
      sort: (sort ?? []) as number[],
    })),
    total: typeof counted === 'object' ? counted.value : (counted ?? 0),
    aggregations: response.aggregations ?? {},
  };
}

/** What is committed was not all there: an index was lost, or is just being dropped. */
export function incomplete(what: string): HistoryError {
  return new HistoryError('STORE_UNAVAILABLE', `Elasticsearch answered in part: ${what}`);
}
