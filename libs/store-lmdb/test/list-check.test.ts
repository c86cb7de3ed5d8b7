import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { BlockRecords } from '@antelope-history/records';
import type { ChainStatus, ListFault, ListSection } from '@antelope-history/store';
import { type ActionPlan, EMPTY_BLOCK, listFaults, SyntheticChain } from '@antelope-history/store/contract';
import { openEnvironment } from '../src/format/environment';
import { blockKey, chunkKey, kindKey, listPrefix, transactionKey } from '../src/format/keys';
import { decodeChunk, GrowingChunk, MAX_CHUNK_POSTINGS, type PostingChunk } from '../src/format/posting-chunk';
import { openTables, type Snapshot, type Tables } from '../src/format/tables';
import { LmdbListCheck } from '../src/read/list-check';
import { openLmdbStoreReader } from '../src/reader';
import { openLmdbStoreWriter } from '../src/writer';

const BLOCKS = 40;
const ACTIONS = 30;
/** The list of the whole chain has three chunks. */
const ALL = listPrefix('', 0);

const action = (index: number): ActionPlan => ({
  account: 'token',
  name: index % 3 === 0 ? 'issue' : 'transfer',
  actor: 'alice',
  notified: ['bob'],
  creatorDistance: index % 2,
  dataBytes: 4,
});

let directory: string;
let chain: BlockRecords[];
let made: SyntheticChain;

beforeEach(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'store-lmdb-lists-'));
  chain = [];
  made = new SyntheticChain();
  const transactions = [Array.from({ length: ACTIONS }, (_, index) => action(index))];
  for (let index = 0; index < BLOCKS; index++) {
    const plan = index % 10 === 5 ? EMPTY_BLOCK : { ...EMPTY_BLOCK, transactions };
    chain.push(made.block(chain.at(-1), plan));
  }
  const writer = await openLmdbStoreWriter({ path: directory, mapSizeBytes: 0 });
  await writer.writeBlocks(chain);
  await writer.close();
});
afterEach(() => rmSync(directory, { recursive: true }));

async function faults(blocksPerSection: number): Promise<ListFault[]> {
  const reader = await openLmdbStoreReader({ path: directory, mapSizeBytes: 0 });
  try {
    return await listFaults(reader, blocksPerSection);
  } finally {
    await reader.close();
  }
}

async function damage(change: (tables: Tables) => Promise<unknown>): Promise<void> {
  const root = openEnvironment({ path: directory, mapSizeBytes: 0 }, false);
  const tables = openTables(root, { create: false });
  if (!tables) throw new Error('the store has no tables');
  expect(await change(tables)).toBe(true);
  await root.close();
}

/** Replaces a list's last chunk by one with changed postings. */
function rewriteLast(
  { postings }: Tables,
  prefix: Buffer,
  change: (sequences: { sequence: number; root: boolean }[], chunk: PostingChunk) => unknown,
): Promise<boolean> {
  const end = chunkKey(prefix, Number.MAX_SAFE_INTEGER);
  const [{ key, value }] = [...postings.getRange({ start: end, reverse: true, limit: 1 })] as [
    { key: Buffer; value: Buffer },
  ];
  const chunk = decodeChunk(key.readUInt32BE(12) * 2 ** 32 + key.readUInt32BE(16), value);
  const list = Array.from(chunk.sequences, (sequence, at) => ({ sequence, root: chunk.roots[at] === 1 }));
  change(list, chunk);
  const rewritten = GrowingChunk.start(chunk.firstSequence, chunk.base, chunk.rootBase);
  for (const { sequence, root } of list) rewritten.append(sequence, root);
  return postings.put(Buffer.from(key), rewritten.encode());
}

const sequenceIn = (block: BlockRecords): number => block.transactions[0]?.firstSequence ?? 0;
const firstOf = (list: ListFault[]): [number, number][] =>
  list.map(({ firstBlock, lastBlock }) => [firstBlock, lastBlock]);

describe('the check of lists', () => {
  it.each([1, 7, 1000])('finds nothing in a whole store, by sections of %i blocks', async (blocksPerSection) => {
    expect(MAX_CHUNK_POSTINGS).toBeLessThan(BLOCKS * ACTIONS);
    expect(await faults(blocksPerSection)).toEqual([]);
  });

  it('names the block of a posting that is missing in one list, and the chunks that count it', async () => {
    const last = chain.at(-1) as BlockRecords;
    await damage((tables) => rewriteLast(tables, listPrefix('bob', 0), (list) => void list.pop()));
    expect(await faults(1)).toEqual([
      {
        firstBlock: last.position.num,
        lastBlock: last.position.num,
        detail: expect.stringMatching(/^the lists have \d+, not \d+ of its entries of actions$/) as string,
      },
    ]);
    const sections = await faults(16);
    expect(firstOf(sections)).toEqual([[chain[32]?.position.num, last.position.num]]);
  });

  it('finds a posting of an action that the list does not concern', async () => {
    await damage(({ postings }) => {
      const chunk = GrowingChunk.start(sequenceIn(chain[0] as BlockRecords), 0, 0);
      chunk.append(sequenceIn(chain[0] as BlockRecords), true);
      return postings.put(chunkKey(listPrefix('carol', 0), sequenceIn(chain[0] as BlockRecords)), chunk.encode());
    });
    expect(firstOf(await faults(1))).toEqual([[chain[0]?.position.num, chain[0]?.position.num]]);
  });

  it('finds a posting that says of an action that nothing created it', async () => {
    await damage((tables) =>
      rewriteLast(tables, listPrefix('bob', 0), (list) => {
        for (const posting of list.slice(-2)) posting.root = !posting.root;
      }),
    );
    expect(await faults(1)).toEqual([
      expect.objectContaining({
        firstBlock: chain.at(-1)?.position.num,
        detail: 'the lists have others of its entries of actions',
      }),
    ]);
  });

  it('finds a chunk that is missing, by its postings and by the count of the next one', async () => {
    await damage(({ postings }) => postings.remove(chunkKey(ALL, sequenceIn(chain[0] as BlockRecords))));
    const found = await faults(1000);
    expect(found.map(({ detail }) => detail)).toEqual([
      expect.stringMatching(/of its entries of actions$/),
      expect.stringMatching(/counts 512 actions before it, but there are 0$/),
    ]);
  });

  it('finds an entry that is no chunk', async () => {
    const key = chunkKey(ALL, sequenceIn(chain[0] as BlockRecords));
    await damage(({ postings }) => postings.put(key, Buffer.from([1, 2, 3])));
    expect((await faults(1000)).length).toBe(2);
    await damage(({ postings }) => postings.put(Buffer.from([1, 2, 3]), Buffer.from([1])));
    expect((await faults(1000)).length).toBe(2);
  });

  it('finds a chunk that counts wrong', async () => {
    await damage((tables) => rewriteLast(tables, ALL, (_, chunk) => chunk.rootBase++));
    expect((await faults(1000)).map(({ detail }) => detail)).toEqual([
      expect.stringMatching(/counts \d+ root actions before it, but there are \d+$/),
    ]);
    await damage((tables) => rewriteLast(tables, ALL, (_, chunk) => (chunk.base += 2)));
    expect((await faults(1000)).map(({ detail }) => detail)).toEqual([
      expect.stringMatching(/counts \d+ actions before it, but there are \d+$/),
    ]);
  });

  it('finds a transaction id that is missing, and one that no block has', async () => {
    const transaction = chain[3]?.transactions[0];
    if (!transaction) throw new Error('the block has no transaction');
    const key = transactionKey(transaction.id, transaction.firstSequence);
    await damage(({ transactions }) => transactions.remove(key));
    expect((await faults(1)).map(({ firstBlock, detail }) => [firstBlock, detail])).toEqual([
      [chain[3]?.position.num, 'the lists have 0, not 1 of its transaction ids'],
    ]);
    const other = transactionKey(Buffer.alloc(32, 7), transaction.firstSequence);
    await damage(({ transactions }) => transactions.put(other, Buffer.from([0])));
    expect((await faults(1)).map(({ firstBlock, detail }) => [firstBlock, detail])).toEqual([
      [chain[3]?.position.num, 'the lists have others of its transaction ids'],
    ]);
  });

  it('finds an action kind that is stored under another name, or under none', async () => {
    const key = kindKey({ account: 'token', name: 'issue' });
    await damage(async ({ kinds, kindNames }) => {
      const kind = kinds.get(key)?.readUInt32BE(0) ?? 0;
      return kindNames.put(blockKey(kind), kindKey({ account: 'token', name: 'other' }));
    });
    expect((await faults(1000)).length).toBe(1);
    await damage(({ kinds }) => kinds.remove(key));
    expect((await faults(1000)).length).toBe(1);
  });

  it('continues from the sections of an interrupted check', async () => {
    const reader = await openLmdbStoreReader({ path: directory, mapSizeBytes: 0 });
    const { signal } = new AbortController();
    const { num } = (chain[0] as BlockRecords).position;
    let sections: ListSection[] = [];
    for (let at = 0; at < BLOCKS; at++) {
      const check = reader.createListCheck({ blocksPerSection: 16, sections });
      check?.add(num + at, (await reader.getBlockTraces({ num: num + at })).transactions);
      sections = JSON.parse(JSON.stringify(check?.sections)) as ListSection[];
    }
    expect(sections.length).toBe(3);
    expect(await reader.createListCheck({ blocksPerSection: 16, sections })?.compare(signal)).toEqual([]);
    expect(await reader.createListCheck({ blocksPerSection: 16, sections })?.compare(AbortSignal.abort())).toEqual([]);
    const changed = structuredClone(sections);
    (changed[1] as ListSection).postings.low ^= 1;
    expect(await reader.createListCheck({ blocksPerSection: 16, sections: changed })?.compare(signal)).toHaveLength(1);
    await reader.close();
  });

  it('finds nothing while lists grow between its reads', async () => {
    const reader = await openLmdbStoreReader({ path: directory, mapSizeBytes: 0 });
    const writer = await openLmdbStoreWriter({ path: directory, mapSizeBytes: 0 });
    const root = openEnvironment({ path: directory, mapSizeBytes: 0 }, false);
    const tables = openTables(root, { create: false }) as Tables;
    const before = tables.postings.getKeysCount();
    const check = new LmdbListCheck(tables, { blocksPerSection: 16 }, growing, 3);
    for (const { position } of chain) {
      check.add(position.num, (await reader.getBlockTraces({ num: position.num })).transactions);
    }
    async function growing<T>(query: (snapshot: Snapshot, status: ChainStatus) => T): Promise<T> {
      const transactions = [Array.from({ length: 300 }, (_, index) => action(index))];
      chain.push(made.block(chain.at(-1), { ...EMPTY_BLOCK, transactions }));
      await writer.writeBlocks(chain.slice(-1));
      root.resetReadTxn();
      const snapshot = root.useReadTransaction();
      const result = query(snapshot, await reader.getStatus());
      snapshot.done();
      return result;
    }
    expect(await check.compare(new AbortController().signal)).toEqual([]);
    expect(tables.postings.getKeysCount()).toBeGreaterThan(before);
    await Promise.all([reader.close(), writer.close(), root.close()]);
  });

  it('compares only the blocks that were added', async () => {
    await damage((tables) => rewriteLast(tables, ALL, (list) => void list.pop()));
    const reader = await openLmdbStoreReader({ path: directory, mapSizeBytes: 0 });
    const check = reader.createListCheck({ blocksPerSection: 4 });
    for (const { position } of chain.slice(10, -1)) {
      check?.add(position.num, (await reader.getBlockTraces({ num: position.num })).transactions);
    }
    expect(await check?.compare(new AbortController().signal)).toEqual([]);
    await reader.close();
  });
});
