import type { Client } from '@elastic/elasticsearch';

/** What a call has requested. */
export interface CallTrips {
  /** The requests that were sent one after another: each after a response that came before. */
  depth: number;
  requests: number;
  /** The names of all indices that were searched. */
  indices: string[];
  /** The largest number of rows that the server was told to skip. */
  skipped: number;
}

interface RequestEvent {
  meta: { request: { id: unknown; params: { path: string; body?: unknown } } };
}

/** Observes the requests of a client. One call at a time. */
export class RoundTrips {
  constructor(private readonly client: Client) {}

  async of(call: () => Promise<unknown>): Promise<CallTrips> {
    const depths = new Map<unknown, number>();
    let reached = 0;
    const indices: string[] = [];
    let skipped = 0;
    const onRequest = (_error: unknown, event: RequestEvent | null): void => {
      const { id, params } = (event as RequestEvent).meta.request;
      depths.set(id, reached + 1);
      if (!params.path.endsWith('/_msearch')) return;
      for (const { index, from } of searchesIn(params.body)) {
        indices.push(...index.split(','));
        skipped = Math.max(skipped, from);
      }
    };
    const onResponse = (_error: unknown, event: RequestEvent | null): void => {
      reached = Math.max(reached, depths.get((event as RequestEvent).meta.request.id) ?? 0);
    };
    this.client.diagnostic.on('request', onRequest);
    this.client.diagnostic.on('response', onResponse);
    try {
      await call();
    } finally {
      this.client.diagnostic.off('request', onRequest);
      this.client.diagnostic.off('response', onResponse);
    }
    return { depth: reached, requests: depths.size, indices, skipped };
  }
}

/** The searches of a multi-search body: lines of JSON, a header before each search. */
function searchesIn(body: unknown): { index: string; from: number }[] {
  const lines = String(body)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { index: string; from?: number });
  return lines.flatMap(({ index }, at) => (at % 2 === 0 ? { index, from: lines[at + 1]?.from ?? 0 } : []));
}
