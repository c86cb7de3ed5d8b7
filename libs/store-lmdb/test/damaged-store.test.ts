import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { writeName } from '@antelope-history/abi';
import type { BlockRecords } from '@antelope-history/records';
import type { StoreReader, StoreRepairer, StoreWriter } from '@antelope-history/store';
import {
  ABIS,
  type BlockPlan,
  CONTRACT_DATA_FIELDS,
  DATA,
  EMPTY_BLOCK,
  SyntheticChain,
} from '@antelope-history/store/contract';
import { openEnvironment } from '../src/format/environment';
import { openLmdbStoreReader } from '../src/reader';
import { openLmdbStoreWriter } from '../src/writer';

const ACTION = { account: 'alice', name: 'a', actor: 'carol', notified: [], creatorDistance: 0, dataBytes: 4 };
const DAMAGED = { code: 'INTERNAL', message: expect.stringContaining('is stored damaged') as string };
/** Of a compressed value: its size before. */
const COMPRESSED_HEADER_BYTES = 4;
/** Of a page: its block's number, id and time, and the number of its transactions. */
const PAGE_HEADER_BYTES = 41;

/** A block with a transaction of some actions, a page each. */
const ofPages = (pages: number): BlockPlan => ofActions(pages, 40_000);
const ofActions = (count: number, dataBytes: number): BlockPlan => ({
  ...EMPTY_BLOCK,
  transactions: [Array.from({ length: count }, () => ({ ...ACTION, dataBytes }))],
});

/** Changes a permission of alice to a key by an action. */
function changeTo(key: Buffer, name = 'active'): BlockPlan {
  const data = Buffer.alloc(24);
  writeName('alice', data, 0);
  writeName(name, data, 8);
  return {
    ...EMPTY_BLOCK,
    transactions: [[{ ...ACTION, account: 'eosio', name: 'updateauth', actor: 'alice', data }]],
    permissions: [{ owner: 'alice', name, authority: { keys: [key], actors: [] } }],
  };
}

describe('a store that a broken disk has changed', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'store-lmdb-damaged-store-'));
  let options: { path: string; mapSizeBytes: number };
  let chain: SyntheticChain;
  let opened: { close(): Promise<void> }[];
  beforeEach(() => {
    options = { path: mkdtempSync(path.join(folder, 'store-')), mapSizeBytes: 0 };
    chain = new SyntheticChain();
    opened = [];
  });
  afterEach(async () => {
    for (const each of opened) await each.close();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  async function openReader(): Promise<StoreReader> {
    const reader = await openLmdbStoreReader(options);
    opened.push(reader);
    return reader;
  }

  async function openWriter(): Promise<StoreWriter & StoreRepairer> {
    const writer = await openLmdbStoreWriter(options);
    opened.push(writer);
    return writer as StoreWriter & StoreRepairer;
  }

  /** Writes blocks and damages a page, by its number among all pages, from a byte of its stored value on. */
  async function write(blocks: BlockRecords[], damagedPage: number, from = COMPRESSED_HEADER_BYTES): Promise<void> {
    const writer = await openLmdbStoreWriter(options);
    await writer.writeBlocks(blocks);
    await writer.close();
    await damage('pages', damagedPage, from);
  }

  async function damage(name: string, index: number, from = COMPRESSED_HEADER_BYTES): Promise<void> {
    const root = openEnvironment(options, false);
    const table = root.openDB<Buffer, Buffer>({ name, encoding: 'binary', keyEncoding: 'binary' });
    const key = [...table.getKeys()].map((each) => Buffer.from(each))[index] as Buffer;
    const value = Buffer.from(table.get(key) as Buffer);
    expect(value.length).toBeLessThan(3_000);
    await table.put(key, value.fill(0xff, from));
    await root.close();
  }

  const idOf = (block: BlockRecords): string => block.transactions[0]?.id.toString('hex') ?? '';

  it.each([1, 2])('fails the reads of a transaction of three pages whose page %d is damaged', async (page) => {
    const [block] = chain.blocks(undefined, [ofPages(3)]) as [BlockRecords];
    await write([block], page);
    const reader = await openReader();
    await expect(reader.getTransaction(idOf(block))).rejects.toMatchObject(DAMAGED);
    await expect(reader.getBlockTraces({ num: block.position.num })).rejects.toMatchObject(DAMAGED);
  });

  it('fails the read of an action of a damaged page after one of the same transaction in the next page', async () => {
    const [block] = chain.blocks(undefined, [ofPages(3)]) as [BlockRecords];
    await write([block], 1);
    const reader = await openReader();
    const rows = { account: 'alice', filters: [], data: [], after: undefined, before: undefined, parent: undefined };
    const page = { ...rows, order: 'desc', limit: 1, window: 'skip' } as const;
    await expect(reader.getActions({ ...page, skip: 0 })).resolves.toMatchObject({ rows: [{}] });
    await expect(reader.getActions({ ...page, skip: 1 })).rejects.toMatchObject(DAMAGED);
  });

  it.each([
    ['the header', 0],
    ['the transaction', PAGE_HEADER_BYTES],
    ['the action', PAGE_HEADER_BYTES + 60],
  ])('fails the read of a page that is not compressed and of which only %s is damaged', async (_, from) => {
    const [block] = chain.blocks(undefined, [ofActions(1, 4)]) as [BlockRecords];
    await write([block], 0, from);
    const reader = await openReader();
    await expect(reader.getBlockTraces({ num: block.position.num })).rejects.toMatchObject(DAMAGED);
  });

  it('does not undo the page before a damaged one', async () => {
    const blocks = chain.blocks(undefined, [ofActions(5, 400), ofActions(6, 400)]) as [BlockRecords, BlockRecords];
    await write(blocks, 1);
    const writer = await openWriter();
    const other = chain.block(blocks[0], EMPTY_BLOCK);
    await expect(writer.writeBlocks([other])).rejects.toMatchObject(DAMAGED);
    await expect((await openReader()).getTransaction(idOf(blocks[0]))).resolves.toMatchObject({ found: 'one' });
  });

  it('does not repair the page before a damaged one', async () => {
    const plans = [ofActions(5, 400), ofActions(6, 400), EMPTY_BLOCK];
    const [first, second, last] = chain.blocks(undefined, plans) as [BlockRecords, BlockRecords, BlockRecords];
    await write([first, second, { ...last, lastIrreversible: second.position }], 1);
    const [writer, reader] = [await openWriter(), await openReader()];
    await writer.repairBlocks([first, second]);
    for (const block of [first, second])
      await expect(reader.getTransaction(idOf(block))).resolves.toMatchObject({ found: 'one' });
  });

  it('keeps a permission that a damaged action may have set, while an earlier block is repaired', async () => {
    const [early, late] = [Buffer.alloc(34, 1), Buffer.alloc(34, 2)] as [Buffer, Buffer];
    const plans = [changeTo(early), changeTo(late), EMPTY_BLOCK];
    const [first, second, last] = chain.blocks(undefined, plans) as [BlockRecords, BlockRecords, BlockRecords];
    await write([first, second, { ...last, lastIrreversible: second.position }], 1);
    const [writer, reader] = [await openWriter(), await openReader()];
    for (const repaired of [[first], [second]]) {
      await writer.repairBlocks(repaired);
      expect(await reader.getKeyAccounts(early)).toMatchObject({ accounts: [] });
      expect(await reader.getKeyAccounts(late)).toMatchObject({ accounts: ['alice'] });
    }
  });

  it('replaces a permission after the repair of a damaged action that changes another one', async () => {
    const [wrong, right, other] = [1, 2, 3].map((byte) => Buffer.alloc(34, byte)) as [Buffer, Buffer, Buffer];
    const plans = [changeTo(right), changeTo(other, 'owner'), EMPTY_BLOCK];
    const [first, second, last] = chain.blocks(undefined, plans) as [BlockRecords, BlockRecords, BlockRecords];
    const withWrongKey = { ...first, permissionChanges: changeTo(wrong).permissions };
    await write([withWrongKey, second, { ...last, lastIrreversible: second.position }], 1);
    const [writer, reader] = [await openWriter(), await openReader()];
    for (const repaired of [first, second, first]) await writer.repairBlocks([repaired]);
    expect(await reader.getKeyAccounts(wrong)).toMatchObject({ accounts: [] });
    for (const key of [right, other]) expect(await reader.getKeyAccounts(key)).toMatchObject({ accounts: ['alice'] });
  });

  it('puts no action into the lists of its data by a damaged ABI', async () => {
    const abi = Buffer.concat([ABIS[0] as Buffer, Buffer.alloc(4_000)]);
    const transfer = { ...EMPTY_BLOCK, transactions: [[{ ...ACTION, name: 'transfer', data: DATA[0] }]] };
    const [first, second] = chain.blocks(undefined, [{ ...transfer, abis: [{ account: 'alice', abi }] }, transfer]) as [
      BlockRecords,
      BlockRecords,
    ];
    const dataFields = CONTRACT_DATA_FIELDS;
    const writer = await openLmdbStoreWriter({ ...options, dataFields });
    await writer.writeBlocks([first]);
    await writer.close();
    await damage('abiBodies', 0);
    const later = await openLmdbStoreWriter({ ...options, dataFields });
    opened.push(later);
    await expect(later.writeBlocks([second])).rejects.toMatchObject(DAMAGED);
  });
});
