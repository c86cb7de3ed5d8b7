import { chunkKey, LIST_PREFIX_BYTES, listPrefix, MAX_SEQUENCE, readSequence } from '../format/keys';
import { decodeChunk, GrowingChunk } from '../format/posting-chunk';
import { floorEntry, type Tables } from '../format/tables';
import type { WriteBatch } from './write-batch';

/** What becomes of a sequence in a list: a posting with this root flag; undefined removes it. */
type Edit = boolean | undefined;

/** Adds and removes postings anywhere in lists. Adding one that a list has, and removing one that it lacks, changes nothing. */
export class ListEdits {
  private readonly lists = new Map<string, { prefix: Buffer; edits: Map<number, Edit> }>();

  constructor(private readonly tables: Tables) {}

  add(account: string, kind: number, sequence: number, root: boolean): void {
    this.editsOf(account, kind).set(sequence, root);
  }

  remove(account: string, kind: number, sequence: number): void {
    this.editsOf(account, kind).set(sequence, undefined);
  }

  /** Puts the lists into the batch, each from its first edit on: a chunk has the number of the postings before it. */
  flush(batch: WriteBatch): void {
    for (const { prefix, edits } of this.lists.values()) {
      const inOrder = [...edits].sort(([left], [right]) => left - right);
      editList(this.tables, prefix, inOrder, batch);
    }
    this.lists.clear();
  }

  private editsOf(account: string, kind: number): Map<number, Edit> {
    const prefix = listPrefix(account, kind);
    const name = prefix.toString('latin1');
    let list = this.lists.get(name);
    if (!list) this.lists.set(name, (list = { prefix, edits: new Map<number, Edit>() }));
    return list.edits;
  }
}

function editList(tables: Tables, prefix: Buffer, edits: readonly [number, Edit][], batch: WriteBatch): void {
  const [first = 0] = edits[0] ?? [];
  const floor = floorEntry(tables.postings, chunkKey(prefix, first), LIST_PREFIX_BYTES);
  const start = floor ? Buffer.from(floor.key) : prefix;
  const list = new ListRewriting(tables, prefix, edits, batch);
  for (const { key, value } of tables.postings.getRange({ start, end: chunkKey(prefix, MAX_SEQUENCE) })) {
    if (list.isUnchanged) break;
    list.take(readSequence(key, LIST_PREFIX_BYTES), value);
  }
  list.end();
}

/** Writes a list again from a chunk on, with edits in ascending order; nothing where they change nothing. */
class ListRewriting {
  private readonly removed: Buffer[] = [];
  private readonly written: GrowingChunk[] = [];
  private bases: { base: number; rootBase: number } | undefined;
  private at = 0;
  private isChanged = false;

  constructor(
    private readonly tables: Tables,
    private readonly prefix: Buffer,
    private readonly edits: readonly [number, Edit][],
    private readonly batch: WriteBatch,
  ) {}

  /** Whether no edit is left, and none has changed anything. The rest of a list can have millions of postings. */
  get isUnchanged(): boolean {
    return !this.isChanged && this.at === this.edits.length;
  }

  /** Call it for each chunk, in order. */
  take(firstSequence: number, bytes: Buffer): void {
    const { base, rootBase, count, sequences, roots } = decodeChunk(firstSequence, bytes);
    this.bases ??= { base, rootBase };
    this.removed.push(chunkKey(this.prefix, firstSequence));
    for (let index = 0; index < count; index++) {
      const sequence = sequences[index] as number;
      this.editBelow(sequence);
      const [next, edit] = this.edits[this.at] ?? [];
      if (next === sequence) this.at++;
      if (next === sequence && edit === undefined) this.isChanged = true;
      else this.append(sequence, roots[index] === 1);
    }
  }

  end(): void {
    this.editBelow(Infinity);
    if (!this.isChanged) return;
    const { postings } = this.tables;
    for (const key of this.removed) this.batch.remove(postings, key);
    for (const chunk of this.written)
      this.batch.put(postings, chunkKey(this.prefix, chunk.firstSequence), chunk.encode());
  }

  /** Adds what the list lacks before a posting of it. */
  private editBelow(sequence: number): void {
    for (; this.at < this.edits.length; this.at++) {
      const [at, edit] = this.edits[this.at] as [number, Edit];
      if (at >= sequence) return;
      if (edit === undefined) continue;
      this.append(at, edit);
      this.isChanged = true;
    }
  }

  private append(sequence: number, root: boolean): void {
    let chunk = this.written.at(-1);
    if (!chunk || chunk.isFull) {
      const { base, rootBase } = chunk?.nextBases ?? this.bases ?? { base: 0, rootBase: 0 };
      this.written.push((chunk = GrowingChunk.start(sequence, base, rootBase)));
    }
    chunk.append(sequence, root);
  }
}
