/**
 * Posting lists: per account (and per account and action kind) the sequences of its actions, ascending, in chunks.
 * A chunk stores how many postings precede it, so finding the n-th posting of a list, or counting the postings below a
 * sequence, takes a few key searches for any n: page 1,000,000 costs what page 1 costs.
 *
 * Layout of a chunk: base u48 | root base u48 | count u16 | root count u16 | per posting varuint: delta × 2 + root.
 * The first delta is 0: the first sequence is in the key.
 */
export const MAX_CHUNK_POSTINGS = 512;

export const CHUNK_HEADER_BYTES = 16;
const MAX_VARUINT_BYTES = 8;

export interface PostingChunk {
  firstSequence: number;
  /** Postings of the list before this chunk, and those of them that are root actions. */
  base: number;
  rootBase: number;
  count: number;
  rootCount: number;
  sequences: Float64Array;
  /** 1 where the posting is of a root action. */
  roots: Uint8Array;
}

export function decodeChunk(firstSequence: number, bytes: Buffer): PostingChunk {
  const count = bytes.readUInt16LE(12);
  const sequences = new Float64Array(count);
  const roots = new Uint8Array(count);
  let offset = CHUNK_HEADER_BYTES;
  let sequence = firstSequence;
  for (let index = 0; index < count; index++) {
    let value = 0;
    let scale = 1;
    let byte: number;
    do {
      byte = bytes[offset++] as number;
      value += (byte & 0x7f) * scale;
      scale *= 0x80;
    } while (byte >= 0x80);
    const root = value % 2;
    sequence += (value - root) / 2;
    sequences[index] = sequence;
    roots[index] = root;
  }
  return {
    firstSequence,
    base: bytes.readUIntLE(0, 6),
    rootBase: bytes.readUIntLE(6, 6),
    count,
    rootCount: bytes.readUInt16LE(14),
    sequences,
    roots,
  };
}

/** How many postings of the chunk are below `sequence`. */
export function countBelow({ count, sequences }: PostingChunk, sequence: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sequences[middle] as number) < sequence) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many of the first `count` postings of the chunk are roots. */
export function countRoots({ roots }: PostingChunk, count: number): number {
  let found = 0;
  for (let index = 0; index < count; index++) found += roots[index] as number;
  return found;
}

/** The last chunk of a list while it grows. */
export class GrowingChunk {
  private bytes: Buffer;
  private end: number;
  private lastSequence: number;
  private count: number;
  private rootCount: number;

  private constructor(
    readonly firstSequence: number,
    private readonly base: number,
    private readonly rootBase: number,
    bytes: Buffer,
    end: number,
  ) {
    this.bytes = bytes;
    this.end = end;
    this.lastSequence = firstSequence;
    this.count = 0;
    this.rootCount = 0;
  }

  /** An empty chunk whose first posting will be `firstSequence`. */
  static start(firstSequence: number, base: number, rootBase: number): GrowingChunk {
    return new GrowingChunk(
      firstSequence,
      base,
      rootBase,
      Buffer.allocUnsafeSlow(CHUNK_HEADER_BYTES + 16),
      CHUNK_HEADER_BYTES,
    );
  }

  /** A stored chunk that further postings are appended to. */
  static reopen(firstSequence: number, bytes: Buffer): GrowingChunk {
    const stored = decodeChunk(firstSequence, bytes);
    const chunk = new GrowingChunk(firstSequence, stored.base, stored.rootBase, Buffer.from(bytes), bytes.length);
    chunk.count = stored.count;
    chunk.rootCount = stored.rootCount;
    chunk.lastSequence = stored.sequences[stored.count - 1] as number;
    return chunk;
  }

  get isFull(): boolean {
    return this.count >= MAX_CHUNK_POSTINGS;
  }

  /** The bases of the list's next chunk. */
  get nextBases(): { base: number; rootBase: number } {
    return { base: this.base + this.count, rootBase: this.rootBase + this.rootCount };
  }

  append(sequence: number, root: boolean): void {
    if (this.end + MAX_VARUINT_BYTES > this.bytes.length) this.grow();
    let value = (sequence - this.lastSequence) * 2 + (root ? 1 : 0);
    while (value > 0x7f) {
      this.bytes[this.end++] = (value % 0x80) | 0x80;
      value = Math.floor(value / 0x80);
    }
    this.bytes[this.end++] = value;
    this.lastSequence = sequence;
    this.count++;
    if (root) this.rootCount++;
  }

  /** Removes the postings from `sequence` on; returns whether any remain. */
  truncate(sequence: number): boolean {
    const stored = decodeChunk(this.firstSequence, this.encode());
    this.end = CHUNK_HEADER_BYTES;
    this.lastSequence = this.firstSequence;
    this.count = 0;
    this.rootCount = 0;
    for (let index = 0; index < stored.count; index++) {
      const at = stored.sequences[index] as number;
      if (at >= sequence) break;
      this.append(at, stored.roots[index] === 1);
    }
    return this.count > 0;
  }

  encode(): Buffer {
    this.bytes.writeUIntLE(this.base, 0, 6);
    this.bytes.writeUIntLE(this.rootBase, 6, 6);
    this.bytes.writeUInt16LE(this.count, 12);
    this.bytes.writeUInt16LE(this.rootCount, 14);
    return Buffer.from(this.bytes.subarray(0, this.end));
  }

  private grow(): void {
    const grown = Buffer.allocUnsafeSlow(this.bytes.length * 2);
    this.bytes.copy(grown, 0, 0, this.end);
    this.bytes = grown;
  }
}
