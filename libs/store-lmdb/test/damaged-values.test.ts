import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { BlockRecords } from '@antelope-history/records';
import type { StoreReader } from '@antelope-history/store';
import { type BlockPlan, EMPTY_BLOCK, SyntheticChain } from '@antelope-history/store/contract';
import { abiHash } from '../src/format/abi-hash';
import { openEnvironment } from '../src/format/environment';
import { blockKey, sequenceKey } from '../src/format/keys';
import { openLmdbStoreReader } from '../src/reader';
import { openLmdbStoreWriter } from '../src/writer';

/** After the header of a compressed value: its size before. */
const CONTENTS_AT = 4;
const ABIS = [Buffer.alloc(4_000, 'one '), Buffer.alloc(4_000, 'two ')];

describe('a compressed value that a broken disk has changed', () => {
  const options = { path: mkdtempSync(path.join(tmpdir(), 'store-lmdb-damaged-')), mapSizeBytes: 0 };
  let blocks: BlockRecords[];
  let reader: StoreReader;

  beforeAll(async () => {
    const writer = await openLmdbStoreWriter(options);
    const plans = ['a', 'b', 'c', 'd', 'e', 'f'].map((name): BlockPlan => {
      const action = { account: 'alice', name, actor: 'carol', notified: [], creatorDistance: 0, dataBytes: 400 };
      return { ...EMPTY_BLOCK, transactions: [Array.from({ length: 5 }, () => action)] };
    });
    const [first, ...rest] = plans;
    const abis = ['alice', 'bob'].map((account, index) => ({ account, abi: ABIS[index] as Buffer }));
    const chain = new SyntheticChain().blocks(undefined, [{ ...(first as BlockPlan), abis }, ...rest]);
    blocks = chain.map((block) => ({ ...block, block: Buffer.concat([block.block as Buffer, Buffer.alloc(3_000)]) }));
    await writer.writeBlocks(blocks);
    await writer.close();
    await damage('blockBodies', blockKey(102));
    for (const index of [2, 5]) await damage('pages', sequenceKey(blocks[index]?.transactions[0]?.firstSequence ?? 0));
    await damage('abiBodies', abiHash(ABIS[1] as Buffer));
    reader = await openLmdbStoreReader(options);
  });
  afterAll(async () => {
    await reader.close();
    rmSync(options.path, { recursive: true });
  });

  async function damage(name: string, key: Buffer): Promise<void> {
    const root = openEnvironment(options, false);
    const table = root.openDB<Buffer, Buffer>({ name, encoding: 'binary', keyEncoding: 'binary' });
    const value = Buffer.from(table.get(key) as Buffer);
    expect(value.length).toBeLessThan(3_000);
    await table.put(key, value.fill(0xff, CONTENTS_AT));
    await root.close();
  }

  const action = (num: number) =>
    reader.getActions({
      account: 'alice',
      filters: [],
      data: [],
      after: { blockNum: num },
      before: { blockNum: num },
      parent: undefined,
      order: 'asc',
      skip: 0,
      limit: 10,
      window: 'skip',
    });
  const transaction = (index: number) =>
    reader.getTransaction(blocks[index]?.transactions[0]?.id.toString('hex') ?? '');
  const abi = (account: string) =>
    reader.getAbis([{ account, blockNum: 100, sequence: 9_000_000_000 }], () => false, 1e6);

  // The library returns the value that it read last in place of one that it cannot read.
  it.each<[string, () => Promise<unknown>, () => Promise<unknown>]>([
    ['a block', () => reader.getBlock({ num: 101 }), () => reader.getBlock({ num: 102 })],
    ['its traces', () => reader.getBlockTraces({ num: 101 }), () => reader.getBlockTraces({ num: 102 })],
    ['its traces alone', () => reader.getBlockTraces({ num: 101 }), () => reader.getBlockTraces({ num: 105 })],
    ['its actions', () => action(101), () => action(102)],
    ['its transaction', () => transaction(1), () => transaction(2)],
    ['its transaction after a later one', () => transaction(3), () => transaction(2)],
    ['an ABI', () => abi('alice'), () => abi('bob')],
  ])('is refused in place of %s, and others are returned', async (_, whole, broken) => {
    await expect(whole()).resolves.toBeDefined();
    await expect(broken()).rejects.toMatchObject({
      code: 'INTERNAL',
      message: expect.stringContaining('is stored damaged'),
    });
    await expect(whole()).resolves.toBeDefined();
  });
});
