import { createFreshName } from './fresh-name';

/** What the names of indices and templates of one's own begin with. */
export interface IndexPrefix {
  /** Of Elasticsearch. */
  url: string;
  prefix: string;
  /** Removes all indices and index templates whose names begin with it. */
  remove(): Promise<void>;
}

const ANSWER_LIMIT_MS = 60_000;
/** Names are part of the path, which is limited to 4096 bytes. */
const NAMES_PER_REQUEST = 20;

/** Nothing is made yet: whoever writes below the prefix makes it. */
export function createIndexPrefix(url: string, prefix = createFreshName()): IndexPrefix {
  return {
    url,
    prefix,
    async remove() {
      // By their names: servers may refuse to delete by pattern.
      const found = `${url}/_cat/indices/${prefix}*?h=index&format=json&expand_wildcards=all`;
      const indices = (await request('GET', found)) as { index: string }[];
      const names = indices.map(({ index }) => index);
      while (names.length > 0) await request('DELETE', `${url}/${names.splice(0, NAMES_PER_REQUEST).join(',')}`);
      await request('DELETE', `${url}/_index_template/${prefix}*`);
      await request('DELETE', `${url}/_component_template/${prefix}*`);
    },
  };
}

async function request(method: string, url: string): Promise<unknown> {
  const response = await fetch(url, { method, signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
  const text = await response.text();
  // What is not there needs no removal.
  if (!response.ok && response.status !== 404) throw new Error(`Elasticsearch answers ${response.status}: ${text}`);
  return JSON.parse(text) as unknown;
}
