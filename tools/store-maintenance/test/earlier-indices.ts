import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Client } from '@elastic/elasticsearch';

/**
 * Written by version 4.1.0: the first 200 messages of leap-edge, and after them five that wait for the one that was lost with its
 * indexer. A line per index and per document.
 */
const FILE = path.join(__dirname, 'indices-4.1.0.ndjson.gz');
const PREFIX = 'old-';

/** The index of the message that the five wait for. */
export const LOST_MESSAGE = 200;
export const LAST_WRITTEN = 205;
/** The stream position of the first message, in the epoch of all of them. */
export const FIRST_POSITION = { epoch: 1000, sequence: 1000 };

type Line =
  | { index: string; settings: object; mappings: object; aliases: Record<string, object> }
  | { _index: string; _id: string; _version: number; _source: object };

/** Puts the data into indices of a new prefix, which it returns. */
export async function loadEarlierIndices(client: Client): Promise<string> {
  const prefix = `test-${randomUUID()}`;
  const renamed = (name: string): string => `${prefix}-${name.slice(PREFIX.length)}`;
  const operations: object[] = [];
  for (const text of gunzipSync(readFileSync(FILE)).toString().trim().split('\n')) {
    const line = JSON.parse(text) as Line;
    if ('index' in line) {
      const { index, settings, mappings, aliases } = line;
      const names = Object.fromEntries(Object.keys(aliases).map((name) => [renamed(name), {}]));
      await client.indices.create({ index: renamed(index), settings, mappings, aliases: names });
      continue;
    }
    const { _index, _id, _version, _source } = line;
    operations.push({ index: { _index: renamed(_index), _id, version: _version, version_type: 'external' } }, _source);
  }
  const { errors } = await client.bulk({ operations, refresh: true });
  if (errors) throw new Error('the data of version 4.1.0 could not be written');
  return prefix;
}
