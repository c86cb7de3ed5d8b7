import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseDataField } from '@antelope-history/data-fields';
import type { BlockRecords } from '@antelope-history/records';
import type { ActionsPage, ActionsQuery, StoreRepairer, StoreWriter } from '@antelope-history/store';
import {
  ABIS,
  type BlockPlan,
  DATA,
  EMPTY_BLOCK,
  EVERY_ACTION,
  SyntheticChain,
} from '@antelope-history/store/contract';
import { readStatus } from '../src/format/chain-facts';
import type { Tables } from '../src/format/tables';
import { queryActions } from '../src/read/actions-query';
import { DataSearch } from '../src/read/data-search';
import { openExistingTables } from '../src/read/open-reader';
import { openLmdbStoreWriter } from '../src/writer';

const FIELDS = ['alice:transfer.to', 'alice:transfer.amount'];
const TEXTS = ['bob', '1'];
const BLOCKS = 100;
const SLICE_STEPS = 20;

const TRANSFER = { account: 'alice', name: 'transfer', actor: 'carol', notified: [], creatorDistance: 0, dataBytes: 9 };
const WITH_TRANSFER: BlockPlan = { ...EMPTY_BLOCK, transactions: [[{ ...TRANSFER, data: DATA[1] }]] };
const QUERY: ActionsQuery = {
  ...EVERY_ACTION,
  data: FIELDS.map((key, index) => ({ fields: [parseDataField(key) ?? []].flat(), text: TEXTS[index] as string })),
  limit: 1_000,
};

describe('a search on several values of data', () => {
  const options = { path: mkdtempSync(path.join(tmpdir(), 'store-lmdb-search-')), mapSizeBytes: 0 };
  const chain = new SyntheticChain();
  const first = chain.block(undefined, { ...EMPTY_BLOCK, abis: [{ account: 'alice', abi: ABIS[0] as Buffer }] });
  const blocks = [
    first,
    ...chain.blocks(first, Array<BlockPlan>(BLOCKS).fill(WITH_TRANSFER), { num: 250, id: 'f'.repeat(64) }),
  ];
  let writer: StoreWriter & StoreRepairer;
  let tables: Tables;
  beforeAll(async () => {
    writer = (await openLmdbStoreWriter({ ...options, dataFields: FIELDS })) as StoreWriter & StoreRepairer;
    await writer.writeBlocks(blocks);
    tables = await openExistingTables(options);
  });
  afterAll(async () => {
    await tables.root.close();
    await writer.close();
    rmSync(options.path, { recursive: true });
  });

  /** Runs a search in slices as `LmdbReader.getActions` does; `between` runs after the second. */
  const search = async (between: () => Promise<void>): Promise<ActionsPage & { slices: number }> => {
    const running = new DataSearch(QUERY, { sliceSteps: SLICE_STEPS, maxSteps: 1_000_000 });
    for (let slices = 1; ; slices++) {
      tables.root.resetReadTxn();
      const snapshot = tables.root.useReadTransaction();
      const page = queryActions(tables, QUERY, running, readStatus(tables, snapshot), snapshot);
      snapshot.done();
      if (page) return { ...page, slices };
      if (slices === 2) await between();
    }
  };
  const withAbi = (abi: Buffer): BlockRecords => ({
    ...first,
    abiChanges: first.abiChanges.map((each) => ({ ...each, abi })),
  });

  it('has the rows of the lists that a repair made while it ran, and of no others', async () => {
    const whole = await search(() => Promise.resolve());
    expect(whole.rows).toHaveLength(BLOCKS);
    expect(whole.slices).toBeGreaterThan(5);
    const emptied = await search(() => writer.repairBlocks([withAbi(Buffer.from('no ABI'))]));
    expect(emptied.rows).toEqual([]);
    await writer.repairBlocks([first]);
    expect((await search(() => Promise.resolve())).rows).toHaveLength(BLOCKS);
  });
});
