import { actionBytes, type StoredAction } from '@antelope-history/store';
import { decodeActionRecord, type ActionRecord, type TransactionHeader } from '@antelope-history/records';
import { type DocumentVersion, incomplete, type Query, type Searcher } from '../client/search';
import type { ActionDocument } from '../indices/documents';
import { actionOf, FETCH_ACTION } from '../indices/hits';
import type { Order } from './row-location';

/** A list of actions: the index, the filters, the order by sequence and the first row. */
export interface ActionList {
  index: string;
  /** The least number of indices that have to respond, see `Search`. */
  fewest?: number;
  filters: Query[];
  order: Order;
  /** Rows to skip at the beginning; each shard sorts as many. */
  from: number;
  withVersion?: boolean;
  /** `set` is called with the number of rows in the list, or with `upTo` if there are more, when the first chunk is read. */
  count?: { upTo: number; set: (rows: number) => void };
}

/** The first chunk is small: an action can have half a megabyte of data, and console output besides. */
const FIRST_CHUNK = 101;
/** The largest chunk. It applies even after small rows, because the next ones may be large. */
const MAX_CHUNK = 500;
/** The target size of a chunk in actions' own bytes, estimated from the rows before. */
const CHUNK_BYTES = 16 * 1024 * 1024;

/**
 * Reads a list of actions as far as the caller consumes it, in chunks sized by the rows read so far. `wanted`: the most rows
 * that the caller will take.
 */
export async function* readActions(
  searcher: Searcher,
  { order, from, count, ...list }: ActionList,
  wanted: number,
): AsyncGenerator<ReadAction> {
  let read = 0;
  let bytes = 0;
  let last: number | undefined;
  while (read < wanted) {
    const size = Math.min(wanted - read, read === 0 ? FIRST_CHUNK : chunkSize(read, bytes));
    const isCounted = count !== undefined && last === undefined;
    const { hits, total } = await searcher.search({
      ...list,
      size,
      ...(isCounted && { count: count.upTo }),
      sort: [{ sequence: order }],
      fetch: FETCH_ACTION,
      ...(last === undefined ? { from } : { searchAfter: [last] }),
    });
    if (isCounted) count.set(total);
    for (const hit of hits) {
      const document = actionOf(hit);
      const row = storedActionOf(document);
      bytes += actionBytes(row);
      last = document.sequence;
      yield { document, row, version: hit };
    }
    if (hits.length < size) return;
    read += hits.length;
  }
}

export interface ReadAction {
  document: ActionDocument;
  row: StoredAction;
  /** Set only for a list `withVersion`. */
  version: DocumentVersion;
}

function chunkSize(rows: number, bytes: number): number {
  const each = Math.max(1, bytes / rows);
  return Math.max(1, Math.min(MAX_CHUNK, Math.floor(CHUNK_BYTES / each)));
}

function storedActionOf(document: ActionDocument): StoredAction {
  return {
    action: decodeActionRecord(Buffer.from(document.record, 'base64'), document.first_sequence),
    transactionId: document.transaction,
    blockNum: document.block_num,
    blockId: document.block,
    blockTimestamp: document.timestamp,
  };
}

/** Throws `STORE_UNAVAILABLE` unless these are all actions of a transaction: each trace has one global sequence. */
export function assertWhole({ id, sequenceCount }: TransactionHeader, actions: readonly ActionRecord[]): void {
  const traces = actions.reduce((sum, action) => sum + action.traces.length, 0);
  if (traces !== sequenceCount) throw incomplete(`${traces} of ${sequenceCount} traces of ${id.toString('hex')}`);
}
