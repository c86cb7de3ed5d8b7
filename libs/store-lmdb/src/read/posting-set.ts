import { chunkKey, LIST_PREFIX_BYTES, MAX_SEQUENCE, readSequence } from '../format/keys';
import { countBelow, countRoots, decodeChunk, type PostingChunk } from '../format/posting-chunk';
import { floorEntry, type Snapshot, type Table } from '../format/tables';

/** One posting list in a snapshot, read chunk by chunk. */
export class PostingList {
  /** Chunks that were read from the store, which is most of the work on a list. */
  chunksRead = 0;
  private cached: PostingChunk | undefined;
  /** No chunk begins after the cached one and up to this sequence: a search for the newest postings asks beyond the last one. */
  private cachedUpTo = 0;

  constructor(
    private readonly table: Table,
    private readonly prefix: Buffer,
    private readonly rootsOnly: boolean,
    private readonly snapshot: Snapshot,
  ) {}

  /** How many postings are below `sequence`, with those whose blocks were removed. */
  rank(sequence: number): number {
    if (sequence <= 0) return 0;
    const chunk = this.chunkAt(sequence - 1);
    if (!chunk) return 0;
    const below = countBelow(chunk, sequence);
    return this.rootsOnly ? chunk.rootBase + countRoots(chunk, below) : chunk.base + below;
  }

  /** The greatest posting below `sequence`; undefined when there is none. Where blocks were removed, it may be of one of them. */
  before(sequence: number): number | undefined {
    if (sequence <= 0) return undefined;
    const chunk = this.chunkAt(sequence - 1);
    if (!chunk) return undefined;
    for (let index = countBelow(chunk, sequence) - 1; index >= 0; index--) {
      if (!this.rootsOnly || chunk.roots[index] === 1) return chunk.sequences[index];
    }
    // The root base skips any number of chunks without a root action.
    return chunk.rootBase === 0 ? undefined : this.select(chunk.rootBase - 1, 0, chunk.firstSequence);
  }

  /** The least posting at or above `sequence`; undefined when there is none. */
  from(sequence: number): number | undefined {
    // A walk asks from behind the postings of its chunk: another one that has the sequence begins with it, and is the next.
    const chunk = this.cached && lastOf(this.cached) === sequence - 1 ? this.cached : this.chunkAt(sequence);
    if (chunk) {
      for (let index = countBelow(chunk, sequence); index < chunk.count; index++) {
        if (!this.rootsOnly || chunk.roots[index] === 1) return chunk.sequences[index];
      }
    }
    const next = this.chunkAfter(chunk ? lastOf(chunk) : sequence);
    if (!next) return undefined;
    if (!this.rootsOnly) return next.firstSequence;
    const total = this.rank(MAX_SEQUENCE);
    return total > next.rootBase ? this.select(next.rootBase, next.firstSequence, MAX_SEQUENCE) : undefined;
  }

  private select(rank: number, low: number, high: number): number {
    return selectRank((sequence) => this.rank(sequence), rank, low, high);
  }

  private chunkAt(sequence: number): PostingChunk | undefined {
    const cached = this.cached;
    if (cached && cached.firstSequence <= sequence && sequence <= this.cachedUpTo) return cached;
    const chunk = this.remember(
      floorEntry(this.table, chunkKey(this.prefix, sequence), LIST_PREFIX_BYTES, this.snapshot),
    );
    if (chunk) this.cachedUpTo = Math.max(this.cachedUpTo, sequence);
    return chunk;
  }

  private chunkAfter(sequence: number): PostingChunk | undefined {
    const start = chunkKey(this.prefix, sequence + 1);
    const end = chunkKey(this.prefix, MAX_SEQUENCE);
    for (const entry of this.table.getRange({ start, end, limit: 1, transaction: this.snapshot })) {
      return this.remember(entry);
    }
    return undefined;
  }

  private remember(entry: { key: Buffer; value: Buffer } | undefined): PostingChunk | undefined {
    if (!entry) return undefined;
    this.chunksRead++;
    const chunk = decodeChunk(readSequence(entry.key, LIST_PREFIX_BYTES), entry.value);
    this.cached = chunk;
    this.cachedUpTo = lastOf(chunk);
    return chunk;
  }
}

function lastOf(chunk: PostingChunk): number {
  return chunk.sequences[chunk.count - 1] as number;
}

/**
 * The least sequence s in [low, high) with more than `rank` postings below s + 1. Postings are spread almost evenly over many
 * ranges, so that every second step interpolates; the others halve the range, which bounds the number of steps.
 */
function selectRank(rankOf: (sequence: number) => number, rank: number, low: number, high: number): number {
  let from = low;
  let to = high;
  let [rankFrom, rankTo] = [rankOf(low), rankOf(high)];
  for (let step = 0; from < to; step++) {
    const share = step % 2 === 0 ? (rank - rankFrom + 0.5) / (rankTo - rankFrom) : 0.5;
    const middle = from + Math.min(to - from - 1, Math.max(0, Math.floor((to - from) * share)));
    const found = rankOf(middle + 1);
    if (found > rank) [to, rankTo] = [middle, found];
    else [from, rankFrom] = [middle + 1, found];
  }
  return from;
}

/**
 * The union of posting lists. Two lists may share postings only if `common` has the list of what they share; counts subtract
 * it and are exact.
 */
export class PostingSet {
  constructor(
    private readonly lists: readonly PostingList[],
    private readonly common: readonly PostingList[] = [],
  ) {}

  get chunksRead(): number {
    let chunks = 0;
    for (const list of this.lists) chunks += list.chunksRead;
    return chunks;
  }

  /** How many postings are below `sequence`. */
  rank(sequence: number): number {
    let count = 0;
    for (const list of this.lists) count += list.rank(sequence);
    for (const list of this.common) count -= list.rank(sequence);
    return count;
  }

  /** The least posting at or above `sequence`; undefined when there is none. */
  from(sequence: number): number | undefined {
    let least: number | undefined;
    for (const list of this.lists) {
      const found = list.from(sequence);
      if (found !== undefined && (least === undefined || found < least)) least = found;
    }
    return least;
  }

  /** The greatest posting below `sequence`; undefined when there is none. */
  before(sequence: number): number | undefined {
    let greatest: number | undefined;
    for (const list of this.lists) {
      const found = list.before(sequence);
      if (found !== undefined && (greatest === undefined || found > greatest)) greatest = found;
    }
    return greatest;
  }

  /** The posting with exactly `rank` postings below it; it has to be in [low, high). */
  select(rank: number, low: number, high: number): number {
    return selectRank((sequence) => this.rank(sequence), rank, low, high);
  }

  /** Postings from `sequence` upwards and below `end`, without duplicates. */
  *ascending(sequence: number, end: number): Generator<number> {
    const heads = this.lists.map((list) => list.from(sequence) ?? Infinity);
    for (;;) {
      const next = heads.reduce((least, head) => Math.min(least, head), Infinity);
      if (next >= end) return;
      yield next;
      this.advance(heads, next, (list) => list.from(next + 1) ?? Infinity);
    }
  }

  /** Postings from `sequence` (included) downwards to `start` (included), without duplicates. */
  *descending(sequence: number, start: number): Generator<number> {
    const heads = this.lists.map((list) => list.before(sequence + 1) ?? -Infinity);
    for (;;) {
      const next = heads.reduce((greatest, head) => Math.max(greatest, head), -Infinity);
      if (next < start) return;
      yield next;
      this.advance(heads, next, (list) => list.before(next) ?? -Infinity);
    }
  }

  private advance(heads: number[], taken: number, move: (list: PostingList) => number): void {
    for (let index = 0; index < heads.length; index++) {
      if (heads[index] === taken) heads[index] = move(this.lists[index] as PostingList);
    }
  }
}
