import type { ActionEntry } from '@antelope-history/records';
import { ALL_KINDS, WHOLE_CHAIN, type KindAllocator } from './action-kinds';
import { chunkKey, LIST_PREFIX_BYTES, listPrefix, MAX_SEQUENCE, readSequence } from './keys';
import { GrowingChunk } from './posting-chunk';
import { floorEntry, type Tables } from './tables';

/** A list in the writer's hands: its prefix and its growing last chunk. */
interface OpenList {
  prefix: Buffer;
  chunk: GrowingChunk | undefined;
  dirty: boolean;
}

/** Lists that stay open between batches; a chain's busy accounts fit many times over. */
const MAX_OPEN_LISTS = 100_000;

/**
 * Appends postings. The last chunk of each list that was touched lately stays in memory, so that a batch reads the
 * store only for lists it has not seen.
 */
export class PostingWriter {
  private readonly open = new Map<string, Map<number, OpenList>>();
  private openCount = 0;
  private dirty: OpenList[] = [];

  constructor(
    private readonly tables: Tables,
    private readonly kinds: KindAllocator,
  ) {}

  /** Adds an action to the lists it belongs to: two per account, four for the whole chain. */
  add(action: ActionEntry): void {
    const { sequence, root } = action;
    const kind = this.kinds.kind(action.account, action.name);
    for (const account of action.accounts) {
      this.append(account, ALL_KINDS, sequence, root);
      this.append(account, kind, sequence, root);
    }
    this.append(WHOLE_CHAIN, ALL_KINDS, sequence, root);
    this.append(WHOLE_CHAIN, kind, sequence, root);
    this.append(WHOLE_CHAIN, this.kinds.kind(action.account, ''), sequence, root);
    this.append(WHOLE_CHAIN, this.kinds.kind('', action.name), sequence, root);
  }

  /** Puts what was added since the last flush into the batch under way. */
  flush(): void {
    for (const list of this.dirty) {
      if (list.chunk) this.put(list.prefix, list.chunk);
      list.dirty = false;
    }
    this.dirty = [];
    if (this.openCount > MAX_OPEN_LISTS) this.forget();
  }

  /** Forgets what is in memory: after a fork was undone, or when too much is open. */
  forget(): void {
    this.open.clear();
    this.openCount = 0;
    this.dirty = [];
  }

  private append(account: string, kind: number, sequence: number, root: boolean): void {
    const list = this.list(account, kind);
    if (!list.dirty) {
      list.dirty = true;
      this.dirty.push(list);
    }
    let chunk = list.chunk;
    if (!chunk || chunk.isFull) {
      if (chunk) this.put(list.prefix, chunk);
      const bases = chunk?.nextBases ?? { base: 0, rootBase: 0 };
      chunk = GrowingChunk.start(sequence, bases.base, bases.rootBase);
      list.chunk = chunk;
    }
    chunk.append(sequence, root);
  }

  private put(prefix: Buffer, chunk: GrowingChunk): void {
    void this.tables.postings.put(chunkKey(prefix, chunk.firstSequence), chunk.encode());
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

/** Drops the postings of one list from `sequence` on, in the batch under way. */
export function truncateList(tables: Tables, prefix: Buffer, sequence: number): void {
  const range = { start: chunkKey(prefix, MAX_SEQUENCE), end: prefix, reverse: true };
  for (const { key, value } of tables.postings.getRange(range)) {
    const firstSequence = readSequence(key, LIST_PREFIX_BYTES);
    if (firstSequence >= sequence) {
      void tables.postings.remove(key);
      continue;
    }
    const chunk = GrowingChunk.reopen(firstSequence, value);
    if (chunk.truncate(sequence)) void tables.postings.put(key, chunk.encode());
    else void tables.postings.remove(key);
    return;
  }
}
