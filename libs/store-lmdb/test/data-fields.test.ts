import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseDataField } from '@antelope-history/data-fields';
import type { AbiChange, BlockRecords } from '@antelope-history/records';
import type { ActionsQuery, StoreReader, StoreRepairer, StoreWriter } from '@antelope-history/store';
import {
  ABIS,
  type BlockPlan,
  DATA,
  EMPTY_BLOCK,
  EVERY_ACTION,
  expectFieldRanges,
  expectFieldsBelowFirst,
  SyntheticChain,
} from '@antelope-history/store/contract';
import { abiHash } from '../src/format/abi-hash';
import { migrateLmdb } from '../src/migrate';
import { openLmdbStoreReader } from '../src/reader';
import { openForWriting } from '../src/write/open-writer';
import { putAbi } from '../src/write/put-abi';
import { WriteBatch } from '../src/write/write-batch';
import { openLmdbStoreWriter } from '../src/writer';

describe('data fields of the embedded store', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'store-lmdb-fields-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('are indexed from the block on before which they were added', async () => {
    const options = { path: folder, mapSizeBytes: 0 };
    await (await openLmdbStoreWriter(options)).close();
    await expectFieldRanges({
      openWriter: (dataFields) => openLmdbStoreWriter({ ...options, dataFields }),
      openReader: () => openLmdbStoreReader(options),
    });
  });

  it('are indexed from the first block on again when a fork begins below it', async () => {
    const options = { path: mkdtempSync(path.join(folder, 'store-')), mapSizeBytes: 0 };
    await (await openLmdbStoreWriter(options)).close();
    await expectFieldsBelowFirst({
      openWriter: (dataFields) => openLmdbStoreWriter({ ...options, dataFields }),
      openReader: () => openLmdbStoreReader(options),
    });
  });

  describe('that change', () => {
    const FIELD = 'alice:transfer.to';
    const transfer = {
      account: 'alice',
      name: 'transfer',
      actor: 'carol',
      notified: [],
      creatorDistance: 0,
      dataBytes: 4,
      data: DATA[1] as Buffer,
    };
    const { data: _data, ...issue } = { ...transfer, name: 'issue' };
    const setAbi = [{ account: 'alice', abi: ABIS[0] as Buffer }];
    const withTransfer: BlockPlan = { ...EMPTY_BLOCK, transactions: [[transfer]] };
    let options: { path: string; mapSizeBytes: number };
    let chain: SyntheticChain;
    beforeEach(() => {
      options = { path: mkdtempSync(path.join(folder, 'store-')), mapSizeBytes: 0 };
      chain = new SyntheticChain();
    });
    const openWriter = (dataFields: string[]) => openLmdbStoreWriter({ ...options, dataFields });
    /** The blocks of the transfers to bob. */
    const blocksOfBob = async (query: Partial<ActionsQuery> = {}): Promise<number[]> => {
      const reader: StoreReader = await openLmdbStoreReader(options);
      const field = parseDataField(FIELD);
      const data = [{ fields: field ? [field] : [], text: 'bob' }];
      const { rows } = await reader.getActions({ ...EVERY_ACTION, data, limit: 100, ...query });
      await reader.close();
      return rows.map(({ blockNum }) => blockNum);
    };

    it('find what an account received itself, also after a fork, and root actions only', async () => {
      const deposit = { ...transfer, notified: ['bob'] };
      const withDeposit = { ...EMPTY_BLOCK, transactions: [[deposit, { ...deposit, creatorDistance: 2 }]] };
      const first = chain.block(undefined, { ...EMPTY_BLOCK, abis: setAbi, transactions: [[issue]] });
      const writer = await openWriter([FIELD]);
      await writer.writeBlocks([first, chain.block(first, withDeposit)]);
      expect(await blocksOfBob({ account: 'bob' })).toEqual([101, 101]);
      const other = chain.block(first, { ...EMPTY_BLOCK, transactions: [[issue]] });
      await writer.writeBlocks([other, chain.block(other, withDeposit)]);
      await writer.close();
      for (const account of ['alice', 'bob', undefined]) {
        expect(await blocksOfBob({ account })).toEqual([102, 102]);
        expect(await blocksOfBob({ account, parent: 'root' })).toEqual([102]);
      }
    });

    it('keep no orphaned rows of a fork that was undone without the field', async () => {
      const first = chain.block(undefined, { ...EMPTY_BLOCK, abis: setAbi, transactions: [[issue]] });
      let writer = await openWriter([FIELD]);
      await writer.writeBlocks([first, chain.block(first, withTransfer, first.position)]);
      await writer.close();
      expect(await blocksOfBob()).toEqual([101]);
      writer = await openWriter([]);
      const other = chain.block(first, { ...EMPTY_BLOCK, transactions: [[issue]] }, first.position);
      const next = chain.block(other, withTransfer, first.position);
      // The fork is undone, and its first block is not written.
      const afterGap = chain.block(next, EMPTY_BLOCK, first.position);
      await expect(writer.writeBlocks([other, afterGap])).rejects.toMatchObject({ code: 'BLOCK_GAP' });
      await writer.close();
      writer = await openWriter([FIELD]);
      await writer.writeBlocks([other, next]);
      await writer.close();
      expect(await blocksOfBob()).toEqual([102]);
    });

    it('keep no rows of an earlier time with the field from the same block on', async () => {
      const withIssue: BlockPlan = { ...EMPTY_BLOCK, transactions: [[issue]] };
      const first = chain.block(undefined, { ...EMPTY_BLOCK, abis: setAbi, transactions: [[issue]] });
      const times: [string[], BlockRecords[]][] = [
        [[], [first]],
        [[FIELD], [chain.block(first, withTransfer)]],
        [[], [chain.block(first, withIssue)]],
        [[FIELD], [chain.block(first, withIssue)]],
      ];
      for (const [fields, blocks] of times) {
        const writer = await openWriter(fields);
        await writer.writeBlocks(blocks);
        await writer.close();
      }
      expect(await blocksOfBob()).toEqual([]);
    });

    const withDamagedAbi = (block: BlockRecords): BlockRecords => ({
      ...block,
      abiChanges: block.abiChanges.map((change) => ({ ...change, abi: Buffer.from('damaged') })),
    });

    it('are decoded by the ABI that a repair has replaced', async () => {
      const first = chain.block(undefined, { ...EMPTY_BLOCK, abis: setAbi, transactions: [[issue]] });
      const second = chain.block(first, withTransfer, first.position);
      const writer = (await openWriter([FIELD])) as StoreWriter & StoreRepairer;
      await writer.writeBlocks([withDamagedAbi(first), second]);
      expect(await blocksOfBob()).toEqual([]);
      await writer.repairBlocks([first]);
      await writer.writeBlocks([chain.block(second, withTransfer, first.position)]);
      await writer.close();
      expect(await blocksOfBob()).toEqual([101, 102]);
    });

    it('get their rows when the bytes of an ABI that was damaged on the disk are repaired', async () => {
      const first = chain.block(undefined, { ...EMPTY_BLOCK, abis: setAbi, transactions: [[issue]] });
      const [change] = first.abiChanges as [AbiChange];
      const second = chain.block(first, withTransfer, first.position);
      const third = chain.block(second, withTransfer, first.position);
      let writer = await openWriter([FIELD]);
      // Without the ABI, as earlier versions indexed by damaged bytes.
      await writer.writeBlocks([{ ...first, abiChanges: [] }, second]);
      await writer.close();
      const { tables, lock, committer } = await openForWriting(options);
      const batch = new WriteBatch();
      putAbi(tables, first.position.num, change, batch);
      batch.put(tables.abiBodies, abiHash(change.abi), Buffer.from('damaged'));
      await committer.commit(batch);
      await tables.root.close();
      await lock.release();
      writer = await openWriter([FIELD]);
      expect(await blocksOfBob()).toEqual([]);
      const damaged = { code: 'INTERNAL', message: expect.stringContaining('is stored damaged') };
      await expect(writer.writeBlocks([third])).rejects.toMatchObject(damaged);
      await (writer as StoreWriter & StoreRepairer).repairBlocks([first]);
      await writer.writeBlocks([third]);
      await writer.close();
      expect(await blocksOfBob()).toEqual([101, 102]);
    });

    it('move in a migration that is not finished, and by a program that is configured without the field', async () => {
      const first = chain.block(undefined, { ...EMPTY_BLOCK, abis: setAbi, transactions: [[issue]] });
      const plans = [withTransfer, withTransfer, withTransfer, withTransfer];
      const blocks = chain.blocks(first, plans, { num: 103, id: 'f'.repeat(64) });
      let writer = await openWriter([]);
      await writer.writeBlocks([withDamagedAbi(first), ...blocks]);
      await writer.close();
      const stop = new AbortController();
      const migrate = (signal: AbortSignal) =>
        migrateLmdb({ ...options, dataFields: [FIELD], pagesPerCommit: 2, signal, onProgress: () => stop.abort() });
      expect(await migrate(stop.signal)).toMatchObject({ isComplete: false });
      writer = await openWriter([]);
      await (writer as StoreWriter & StoreRepairer).repairBlocks([first]);
      await writer.close();
      expect(await migrate(new AbortController().signal)).toMatchObject({ isComplete: true });
      expect(await blocksOfBob()).toEqual([101, 102, 103, 104]);
      writer = await openWriter([]);
      await (writer as StoreWriter & StoreRepairer).repairBlocks([withDamagedAbi(first)]);
      await writer.close();
      expect(await blocksOfBob()).toEqual([]);
    });
  });
});
