import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { chunkKey, LIST_PREFIX_BYTES, listPrefix, MAX_SEQUENCE, readSequence } from '../src/format/keys';
import { decodeChunk, type PostingChunk } from '../src/format/posting-chunk';
import { ListEdits } from '../src/write/list-edits';
import { openForWriting, type WritableStore } from '../src/write/open-writer';
import { WriteBatch } from '../src/write/write-batch';

const RUNS = 60;
const KIND = 7;
const SEED = 5;

describe('editing lists', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'store-lmdb-edits-'));
  let store: WritableStore;
  beforeAll(async () => {
    store = await openForWriting({ path: folder, mapSizeBytes: 0 });
  });
  afterAll(async () => {
    await store.tables.root.close();
    await store.lock.release();
    rmSync(folder, { recursive: true });
  });

  /** Adds these sequences and removes those; every third one is of a root action. Returns the number of writes. */
  const edit = async (account: string, added: Iterable<number>, removed: Iterable<number> = []): Promise<number> => {
    const edits = new ListEdits(store.tables);
    for (const sequence of removed) edits.remove(account, KIND, sequence);
    for (const sequence of added) edits.add(account, KIND, sequence, sequence % 3 === 0);
    const batch = new WriteBatch();
    edits.flush(batch);
    await store.committer.commit(batch);
    return batch.writes.length;
  };
  const chunksOf = (account: string): PostingChunk[] => {
    const prefix = listPrefix(account, KIND);
    const range = { start: prefix, end: chunkKey(prefix, MAX_SEQUENCE) };
    return [...store.tables.postings.getRange(range)].map(({ key, value }) =>
      decodeChunk(readSequence(key, LIST_PREFIX_BYTES), value),
    );
  };

  it('makes the chunks that a list has which was written so', async () => {
    const sequences = fc.uniqueArray(fc.nat(3_000), { maxLength: 2_000, size: 'max' });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(sequences, sequences, sequences, async (first, added, removed) => {
        const [edited, expected] = [`a${'bcde'[run % 4]}`, `b${'bcde'[run++ % 4]}`];
        for (const account of [edited, expected]) await edit(account, [], Array(3_001).keys());
        await edit(edited, first);
        await edit(edited, added, removed);
        const kept = new Set([...first.filter((each) => !removed.includes(each)), ...added]);
        await edit(expected, kept);
        expect(chunksOf(edited)).toEqual(chunksOf(expected));
        const stored = chunksOf(edited).flatMap((chunk) => [...chunk.sequences]);
        expect(stored).toEqual([...kept].sort((left, right) => left - right));
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });

  it('writes nothing where nothing changes', async () => {
    await edit('same', [5, 10, 15]);
    expect(await edit('same', [5, 15], [7, 20])).toBe(0);
    expect(await edit('same', [], [5, 10, 15])).toBe(1);
    expect(chunksOf('same')).toEqual([]);
  });

  it('reads no more of a list than it has to where nothing changes', async () => {
    await edit('long', Array(5_000).keys());
    const last = chunksOf('long').at(-1)?.firstSequence ?? 0;
    await store.tables.postings.put(chunkKey(listPrefix('long', KIND), last), Buffer.alloc(3));
    expect(await edit('long', [7, 900])).toBe(0);
    await expect(edit('long', [7, 900], [1_200])).rejects.toThrow(RangeError);
  });
});
