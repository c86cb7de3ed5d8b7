import { actionBytes, type StoredAction } from '@antelope-history/store';
import { decodeActionRecord, type ActionRecord, type TransactionHeader } from '@antelope-history/records';
import { incomplete, type Query, type Searcher } from '../client/search';
import type { ActionDocument } from '../indices/documents';
import { actionOf, FETCH_ACTION } from '../indices/hits';
import type { Order } from './row-location';

/** Where actions are read, from where on, and in which order of their sequences. */
export interface ActionList {
  index: string;
  /** How many indices that is, at the least: see `Search`. */
  fewest?: number;
  filters: Query[];
  order: Order;
  /** Rows to pass over at the beginning; few, since each shard sorts as many. */
  from: number;
}

/** An action of which it is known nothing yet may have half a megabyte, and more with what it printed. */
const FIRST_CHUNK = 101;
/** However small the rows were so far, the next ones may be large. */
const MAX_CHUNK = 500;
/** What a chunk should have of actions' own bytes, if its rows are as those before. */
const CHUNK_BYTES = 16 * 1024 * 1024;

/**
 * Reads a list of actions, as far as it is taken: a few rows at first, then as many as are not too large together.
 * `wanted`: how many rows will be taken, at most.
 */
export async function* readActions(
  searcher: Searcher,
  { order, from, ...list }: ActionList,
  wanted: number,
): AsyncGenerator<ReadAction> {
  let read = 0;
  let bytes = 0;
  let last: number | undefined;
  while (read < wanted) {
    const size = Math.min(wanted - read, read === 0 ? FIRST_CHUNK : chunkSize(read, bytes));
    const { hits } = await searcher.search({
      ...list,
      size,
      sort: [{ sequence: order }],
      fetch: FETCH_ACTION,
      ...(last === undefined ? { from } : { searchAfter: [last] }),
    });
    for (const hit of hits) {
      const document = actionOf(hit);
      const row = storedActionOf(document);
      bytes += actionBytes(row);
      last = document.sequence;
      yield { document, row };
    }
    if (hits.length < size) return;
    read += hits.length;
  }
}

export interface ReadAction {
  document: ActionDocument;
  row: StoredAction;
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

/** Throws `STORE_UNAVAILABLE` unless these are all the actions of a transaction: each of its traces took a sequence. */
export function assertWhole({ id, sequenceCount }: TransactionHeader, actions: readonly ActionRecord[]): void {
  const traces = actions.reduce((sum, action) => sum + action.traces.length, 0);
  if (traces !== sequenceCount) throw incomplete(`${traces} of ${sequenceCount} traces of ${id.toString('hex')}`);
}
