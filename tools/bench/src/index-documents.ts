/** A document of an index. */
export interface IndexedDocument {
  index: string;
  id: string;
  version: number;
  /** The JSON of what the server returns of it: the document, or, of an action, its doc values. */
  returned: string;
  isWhole: boolean;
}

interface SearchResponse {
  hits: {
    hits: { _index: string; _id: string; _version: number; _source?: unknown; fields?: unknown; sort: unknown[] }[];
  };
}

const PAGE = 1_000;
/** Of actions; indices of other kinds do not have them. */
const DOC_VALUES = ['origin', 'record', 'large_record'];
const KEEP_ALIVE = '5m';
const RESPONSE_LIMIT_MS = 300_000;

/** Sends bare requests to an Elasticsearch server. */
export class ElasticsearchRequests {
  constructor(private readonly url: string) {}

  /** Sends an object as JSON and a string unchanged; resolves with the JSON of the response. Throws unless the status is 2xx. */
  async send<Response>(method: string, path: string, body?: object | string): Promise<Response> {
    const response = await fetch(`${this.url}/${path}`, {
      method,
      signal: AbortSignal.timeout(RESPONSE_LIMIT_MS),
      ...(body !== undefined && {
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { 'content-type': typeof body === 'string' ? 'application/x-ndjson' : 'application/json' },
      }),
    });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`${method} ${path}: Elasticsearch responds ${response.status}: ${text.slice(0, 500)}`);
    return JSON.parse(text) as Response;
  }

  /** The names of the indices that begin with a prefix. */
  async indices(prefix: string): Promise<string[]> {
    const rows = await this.send<{ index: string }[]>('GET', `_cat/indices/${prefix}-*?h=index&format=json`);
    return rows.map(({ index }) => index).sort();
  }

  /** All documents of some indices. */
  async *documents(indices: string[]): AsyncGenerator<IndexedDocument> {
    const opened = await this.send<{ id: string }>('POST', `${indices.join()}/_pit?keep_alive=${KEEP_ALIVE}`);
    const pit = { id: opened.id, keep_alive: KEEP_ALIVE };
    let after: unknown[] | undefined;
    do {
      const request = {
        pit,
        size: PAGE,
        version: true,
        sort: ['_shard_doc'],
        docvalue_fields: DOC_VALUES,
        ...(after && { search_after: after }),
      };
      const { hits } = (await this.send<SearchResponse>('POST', '_search', request)).hits;
      for (const { _index: index, _id: id, _version: version, _source, fields } of hits) {
        yield { index, id, version, returned: JSON.stringify(_source ?? fields), isWhole: _source !== undefined };
      }
      after = hits.at(-1)?.sort;
    } while (after);
    await this.send('DELETE', '_pit', { id: opened.id });
  }
}
