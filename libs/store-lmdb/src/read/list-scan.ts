import type { ListSection, SetDigest } from '@antelope-history/store';
import { FIRST_DATA_KIND, FURTHER_TRACES } from '../format/action-kinds';
import { CHUNK_KEY_BYTES, LIST_PREFIX_BYTES, readSequence } from '../format/keys';
import { CHUNK_HEADER_BYTES, decodeChunk, type PostingChunk } from '../format/posting-chunk';
import type { Snapshot, Table } from '../format/tables';
import { addToDigest, hashOfPrefix, postingCode } from './list-digest';

/**
 * Lists of data values need decoded data: they are not checked. Lists of further traces that are not in use yet are those of an
 * unfinished migration.
 */
function isChecked(prefix: Buffer, countsTraces: boolean): boolean {
  const kind = prefix.readUInt32BE(prefix.length - 4);
  return kind === FURTHER_TRACES ? countsTraces : kind < FIRST_DATA_KIND;
}

/** What the lists have of a section of blocks. */
export interface FoundInLists {
  postings: SetDigest;
  transactions: SetDigest;
  /** The first chunk that contradicts itself or the one before it. */
  chunkFault: string | undefined;
}

/** Takes the first entries from a key on. Returns where the next ones begin; undefined after the last entry of the table. */
export function takeEntries(
  table: Table,
  range: { start: Buffer; limit: number; transaction: Snapshot },
  take: (key: Buffer, value: Buffer) => void,
): Buffer | undefined {
  let last: Buffer | undefined;
  let count = 0;
  for (const { key, value } of table.getRange(range)) {
    last = Buffer.from(key);
    take(last, Buffer.from(value));
    count++;
  }
  return last && count === range.limit ? Buffer.concat([last, Buffer.alloc(1)]) : undefined;
}

/**
 * Adds the postings of each chunk to the section that has them, and checks what the chunk says of itself. Lists may grow between
 * two snapshots: a list's last chunk may have grown before the next one was begun, but that one begins above all sections.
 */
export class ChunkReader {
  /** The chunk before, with its list's prefix. */
  private previous: { prefix: Buffer; chunk: PostingChunk } | undefined;

  constructor(
    private readonly finder: SectionFinder,
    private readonly found: readonly FoundInLists[],
    private readonly stored: { countsTraces: boolean; hasShortenedLists: boolean },
  ) {}

  take(key: Buffer, value: Buffer): void {
    // Any other bytes have no postings, which are then missing in their section.
    if (key.length !== CHUNK_KEY_BYTES || value.length < CHUNK_HEADER_BYTES) return;
    const prefix = key.subarray(0, LIST_PREFIX_BYTES);
    if (!isChecked(prefix, this.stored.countsTraces)) return;
    const chunk = decodeChunk(readSequence(key, LIST_PREFIX_BYTES), value);
    const hash = hashOfPrefix(prefix);
    let roots = 0;
    for (let index = 0; index < chunk.count; index++) {
      const sequence = chunk.sequences[index] as number;
      const root = chunk.roots[index] === 1;
      if (root) roots++;
      const at = this.finder.indexOf(sequence);
      if (at >= 0) addToDigest((this.found[at] as FoundInLists).postings, hash, postingCode(sequence, root));
    }
    const before = this.previous?.prefix.equals(prefix) ? this.previous.chunk : undefined;
    this.note(chunk, faultOfChunk(chunk, roots, before, this.stored.hasShortenedLists));
    this.previous = { prefix, chunk };
  }

  private note({ firstSequence }: PostingChunk, fault: string | undefined): void {
    const section = this.found[this.finder.indexOf(firstSequence)];
    if (section && fault !== undefined) section.chunkFault ??= fault;
  }
}

/** A page at a depth is found by the numbers of postings that chunks store. */
function faultOfChunk(
  chunk: PostingChunk,
  roots: number,
  before: PostingChunk | undefined,
  mayBeShortened: boolean,
): string | undefined {
  const { firstSequence, base, rootBase, rootCount } = chunk;
  const at = `the part of a list from action ${firstSequence}`;
  const first = mayBeShortened ? { base, root: rootBase } : { base: 0, root: 0 };
  const expected = before ? { base: before.base + before.count, root: before.rootBase + before.rootCount } : first;
  if (base !== expected.base) return `${at} counts ${base} actions before it, but there are ${expected.base}`;
  if (rootBase !== expected.root)
    return `${at} counts ${rootBase} root actions before it, but there are ${expected.root}`;
  return roots === rootCount ? undefined : `${at} counts ${rootCount} root actions, but has ${roots}`;
}

/** Finds the section that has a sequence. */
export class SectionFinder {
  private readonly indices: number[];
  private last = 0;

  constructor(private readonly sections: readonly ListSection[]) {
    this.indices = sections.flatMap(({ firstSequence, endSequence }, at) => (endSequence > firstSequence ? [at] : []));
  }

  /** -1 when no section has it. */
  indexOf(sequence: number): number {
    if (this.has(this.last, sequence)) return this.indices[this.last] as number;
    let low = 0;
    let high = this.indices.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.sections[this.indices[middle] as number] as ListSection).endSequence <= sequence) low = middle + 1;
      else high = middle;
    }
    this.last = low;
    return this.has(low, sequence) ? (this.indices[low] as number) : -1;
  }

  private has(at: number, sequence: number): boolean {
    const section = this.sections[this.indices[at] ?? -1];
    return section !== undefined && section.firstSequence <= sequence && sequence < section.endSequence;
  }
}
