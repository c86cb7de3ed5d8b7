import { createFreshName } from './fresh-name';

/** A new prefix for the names of indices and templates. */
export interface IndexPrefix {
  /** URL of Elasticsearch. */
  url: string;
  prefix: string;
  /** Removes all indices and index templates whose names begin with the prefix. */
  remove(): Promise<void>;
}

const ANSWER_LIMIT_MS = 60_000;
/** The names are part of the path of a request, which is limited to 4096 bytes. */
const NAMES_PER_REQUEST = 20;

/** Creates nothing on the server. */
export function createIndexPrefix(url: string, prefix = createFreshName()): IndexPrefix {
  return {
    url,
    prefix,
    async remove() {
      // By name, because servers may refuse to delete by pattern.
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
  // A name that does not exist needs no removal.
  if (!response.ok && response.status !== 404) throw new Error(`Elasticsearch answers ${response.status}: ${text}`);
  return JSON.parse(text) as unknown;
}
