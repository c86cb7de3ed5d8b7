import type { DocumentVersion, FoundHit, Query, Search, Searcher } from '../client/search';
import type { ActionLayout } from './documents';
import {
  actionOf,
  fetchAction,
  fetchRecord,
  fetchTallied,
  type FoundAction,
  type FoundRecord,
  recordOf,
  talliedIn,
} from './hits';
import type { TalliedAction } from './tallied-action';

export type Order = 'asc' | 'desc';

/** A list of actions: the index, the filters, the order by sequence and the first row. */
export interface ActionList {
  index: string;
  /** The least number of indices that have to respond, see `Search`. */
  minIndices?: number;
  filters: Query[];
  order: Order;
  /** Rows to skip at the beginning, none by default; each shard sorts as many. */
  from?: number;
  withVersion?: boolean;
  /** `set` is called with the number of rows in the list, or with `upTo` if there are more, when the first chunk is read. */
  count?: { upTo: number; set: (rows: number) => void };
}

/** An action of a list. */
export interface ListedAction {
  document: FoundAction;
  /** Set only for a list `withVersion`. */
  version: DocumentVersion;
}

/** The first chunk is small: an action can have half a megabyte of data, and console output besides. */
const FIRST_CHUNK = 101;
/** The largest chunk of whole actions. It applies even after small rows, because the next ones may be large. */
const MAX_CHUNK = 500;
/** The same of what is tallied, which has at most the names of some thousand accounts. */
const MAX_TALLIED_CHUNK = 5_000;
/** The target size of a chunk in bytes, estimated from the rows before. */
const CHUNK_BYTES = 16 * 1024 * 1024;

/** Rows that one search returned, each decoded when it is taken: promises for each row would take about as long as decoding it. */
export type Chunk<Row> = Iterable<Row>;

/** The rows one by one. */
export async function* eachOf<Row>(chunks: AsyncIterable<Chunk<Row>>): AsyncGenerator<Row> {
  for await (const chunk of chunks) yield* chunk;
}

/** Reads a list of actions as far as the caller consumes it. `limit`: the most rows that the caller will take. */
export function findActions(
  searcher: Searcher,
  layout: ActionLayout,
  list: ActionList,
  limit: number,
): AsyncGenerator<Chunk<ListedAction>> {
  return readChunks(searcher, list, limit, {
    fetch: fetchAction(layout, list.withVersion === true),
    rowOf: (hit) => ({ document: actionOf(hit), version: hit }),
    bytesOf: ({ document }) => document.record.length,
    maxChunk: MAX_CHUNK,
  });
}

/** Reads the records of a whole list, of which the caller knows the block. */
export function findRecords(
  searcher: Searcher,
  layout: ActionLayout,
  list: ActionList,
): AsyncGenerator<Chunk<FoundRecord>> {
  return readChunks(searcher, list, Infinity, {
    fetch: fetchRecord(layout),
    rowOf: recordOf,
    bytesOf: ({ record }) => record.length,
    maxChunk: MAX_CHUNK,
  });
}

/** Reads what is tallied of a whole list. */
export function findTallied(
  searcher: Searcher,
  layout: ActionLayout,
  list: ActionList,
): AsyncGenerator<Chunk<TalliedAction>> {
  return readChunks(searcher, list, Infinity, {
    fetch: fetchTallied(layout),
    rowOf: talliedIn,
    bytesOf: ({ accounts, authorizers }) => NAME_BYTES * (2 + accounts.length + authorizers.length),
    maxChunk: MAX_TALLIED_CHUNK,
  });
}

const NAME_BYTES = 14;

interface RowReading<Row> {
  fetch: Search['fetch'];
  rowOf: (hit: FoundHit) => Row;
  bytesOf: (row: Row) => number;
  maxChunk: number;
}

/** Reads a list in chunks sized by the rows that were taken so far. */
async function* readChunks<Row>(
  searcher: Searcher,
  { order, from = 0, count, ...list }: ActionList,
  limit: number,
  { fetch, rowOf, bytesOf, maxChunk }: RowReading<Row>,
): AsyncGenerator<Chunk<Row>> {
  let read = 0;
  let bytes = 0;
  let last: number | undefined;
  const rowsOf = function* (hits: readonly FoundHit[]): Generator<Row> {
    for (const hit of hits) {
      const row = rowOf(hit);
      bytes += bytesOf(row);
      yield row;
    }
  };
  while (read < limit) {
    const size = Math.min(limit - read, read === 0 ? FIRST_CHUNK : chunkSize(bytes / read, maxChunk));
    const isCounted = count !== undefined && last === undefined;
    const { hits, total } = await searcher.search({
      ...list,
      size,
      ...(isCounted && { count: count.upTo }),
      sort: [{ sequence: order }],
      fetch,
      ...(last === undefined ? { from } : { searchAfter: [last] }),
    });
    if (isCounted) count.set(total);
    yield rowsOf(hits);
    if (hits.length < size) return;
    read += hits.length;
    last = hits.at(-1)?.sort[0];
  }
}

function chunkSize(bytesEach: number, most: number): number {
  return Math.max(1, Math.min(most, Math.floor(CHUNK_BYTES / Math.max(1, bytesEach))));
}
