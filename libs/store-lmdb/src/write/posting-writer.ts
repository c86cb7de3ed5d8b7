import { readFurtherTraces, type ActionEntry } from '@antelope-history/records';
import { ALL_KINDS, FURTHER_TRACES, WHOLE_CHAIN } from '../format/action-kinds';
import { chunkKey, LIST_PREFIX_BYTES, listPrefix, MAX_SEQUENCE, readSequence } from '../format/keys';
import { GrowingChunk } from '../format/posting-chunk';
import { floorEntry, type Tables } from '../format/tables';
import type { DataKind } from './data-kinds';
import type { KindAllocator } from './kind-allocator';
import type { WriteBatch } from './write-batch';

/** A cached list: its key prefix and its last chunk, which grows. */
interface OpenList {
  prefix: Buffer;
  chunk: GrowingChunk | undefined;
  dirty: boolean;
}

/** The most lists that stay open between batches: many times the busy accounts of a chain. */
const MAX_OPEN_LISTS = 100_000;

/**
 * Appends postings. The last chunk of each recently changed list stays in memory, so that a batch reads the store only for
 * other lists.
 */
export class PostingWriter {
  private readonly open = new Map<string, Map<number, OpenList>>();
  private openCount = 0;
  private dirty: OpenList[] = [];

  constructor(
    private readonly tables: Tables,
    private readonly kinds: KindAllocator,
    private readonly countsTraces: boolean,
  ) {}

  /**
   * Adds an action to its lists: two per account, four of the whole chain, one per authorizer if other accounts were notified, and
   * for each value of a data field one of the whole chain and one of the account that the value names.
   */
  add(action: ActionEntry, dataKinds: readonly DataKind[], batch: WriteBatch): void {
    const { sequence, root } = action;
    const kinds = this.kinds.kindsOf(action.account, action.name, batch);
    for (const account of action.accounts) {
      this.append(account, ALL_KINDS, sequence, root, batch);
      this.append(account, kinds.exact, sequence, root, batch);
    }
    this.append(WHOLE_CHAIN, ALL_KINDS, sequence, root, batch);
    this.append(WHOLE_CHAIN, kinds.exact, sequence, root, batch);
    this.append(WHOLE_CHAIN, kinds.anyName, sequence, root, batch);
    this.append(WHOLE_CHAIN, kinds.anyContract, sequence, root, batch);
    this.addData(action, dataKinds, batch);
    if (this.countsTraces) this.addFurtherTraces(action, batch);
  }

  addData(
    { sequence, root, accounts }: Pick<ActionEntry, 'sequence' | 'root' | 'accounts'>,
    dataKinds: readonly DataKind[],
    batch: WriteBatch,
  ): void {
    for (const { kind, text } of dataKinds) {
      this.append(WHOLE_CHAIN, kind, sequence, root, batch);
      if (accounts.includes(text)) this.append(text, kind, sequence, root, batch);
    }
  }

  /** The lists have a posting per trace, at the trace's global sequence: those of an action are consecutive. */
  addFurtherTraces({ bytes, sequence }: Pick<ActionEntry, 'bytes' | 'sequence'>, batch: WriteBatch): void {
    const further = readFurtherTraces(bytes);
    if (!further) return;
    for (const account of further.authorizers) {
      for (let index = 1; index <= further.count; index++) {
        this.append(account, FURTHER_TRACES, sequence + index, false, batch);
      }
    }
  }

  /** Puts the chunks that changed since the last flush into the batch. */
  flush(batch: WriteBatch): void {
    for (const list of this.dirty) {
      if (list.chunk) this.put(list.prefix, list.chunk, batch);
      list.dirty = false;
    }
    this.dirty = [];
    if (this.openCount > MAX_OPEN_LISTS) this.forget();
  }

  /** Closes all lists: after an undone fork, after a failed batch, or when too many are open. */
  forget(): void {
    this.open.clear();
    this.openCount = 0;
    this.dirty = [];
  }

  private append(account: string, kind: number, sequence: number, root: boolean, batch: WriteBatch): void {
    const list = this.list(account, kind);
    if (!list.dirty) {
      list.dirty = true;
      this.dirty.push(list);
    }
    let chunk = list.chunk;
    if (!chunk || chunk.isFull) {
      if (chunk) this.put(list.prefix, chunk, batch);
      const bases = chunk?.nextBases ?? { base: 0, rootBase: 0 };
      chunk = GrowingChunk.start(sequence, bases.base, bases.rootBase);
      list.chunk = chunk;
    }
    chunk.append(sequence, root);
  }

  private put(prefix: Buffer, chunk: GrowingChunk, batch: WriteBatch): void {
    batch.put(this.tables.postings, chunkKey(prefix, chunk.firstSequence), chunk.encode());
  }

  private list(account: string, kind: number): OpenList {
    let lists = this.open.get(account);
    if (!lists) this.open.set(account, (lists = new Map<number, OpenList>()));
    let list = lists.get(kind);
    if (!list) {
      const prefix = listPrefix(account, kind);
      list = { prefix, chunk: lastChunk(this.tables, prefix), dirty: false };
      lists.set(kind, list);
      this.openCount++;
    }
    return list;
  }
}

function lastChunk(tables: Tables, prefix: Buffer): GrowingChunk | undefined {
  const entry = floorEntry(tables.postings, chunkKey(prefix, MAX_SEQUENCE), LIST_PREFIX_BYTES);
  return entry && GrowingChunk.reopen(readSequence(entry.key, LIST_PREFIX_BYTES), entry.value);
}

/** Removes the postings of one list from `sequence` on. */
export function truncateList(tables: Tables, prefix: Buffer, sequence: number, batch: WriteBatch): void {
  const range = { start: chunkKey(prefix, MAX_SEQUENCE), end: prefix, reverse: true };
  for (const { key, value } of tables.postings.getRange(range)) {
    const firstSequence = readSequence(key, LIST_PREFIX_BYTES);
    if (firstSequence >= sequence) {
      batch.remove(tables.postings, key);
      continue;
    }
    const chunk = GrowingChunk.reopen(firstSequence, value);
    if (chunk.truncate(sequence)) batch.put(tables.postings, key, chunk.encode());
    else batch.remove(tables.postings, key);
    return;
  }
}
