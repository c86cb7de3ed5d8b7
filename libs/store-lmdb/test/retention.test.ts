import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import type { BlockRecords } from '@antelope-history/records';
import {
  blockPlan,
  type BlockPlan,
  Comparison,
  CONTRACT_DATA_FIELDS,
  EMPTY_BLOCK,
  listFaults,
  ModelHistory,
  SyntheticChain,
} from '@antelope-history/store/contract';
import type { AccountTrace, StoreReader } from '@antelope-history/store';
import { testSize } from '@antelope-history/test-support/random';
import type { Table } from '../src/format/tables';
import { openExistingTables } from '../src/read/open-reader';
import { openLmdbStoreReader } from '../src/reader';
import { openLmdbStoreRepairer, openLmdbStoreWriter } from '../src/writer';

const CHAINS = testSize({ usual: 15, long: 500 });
const SEED = 1212;
const ACCOUNTS = ['alice', 'bob', 'eosio', 'a', 'a.b', 'zzzzzzzzzzzzj'];
const ALL = Number.MAX_SAFE_INTEGER;

/** A store that keeps its newest blocks, and the model of everything that was written to it. */
class RetainingStore {
  readonly chain = new SyntheticChain();
  readonly whole = new ModelHistory();
  readonly path = mkdtempSync(path.join(tmpdir(), 'store-lmdb-retention-'));

  constructor(readonly retainBlocks: number) {}

  get options() {
    return { path: this.path, mapSizeBytes: 0, dataFields: CONTRACT_DATA_FIELDS, retainBlocks: this.retainBlocks };
  }

  /** Replaces up to `depth` reversible blocks, adds the planned ones, and makes those `lag` before the newest irreversible. */
  async write(plans: readonly BlockPlan[], depth: number, lag: number): Promise<void> {
    const { committedBlocks: committed, irreversibleNum } = this.whole;
    const irreversible = committed.filter(({ position }) => position.num <= irreversibleNum).length;
    const kept = Math.max(committed.length - depth, irreversible);
    const last = committed[Math.max(kept - 1 - lag, irreversible - 1)]?.position;
    const blocks = this.chain.blocks(committed[kept - 1], plans, last);
    const writer = await openLmdbStoreWriter(this.options);
    await writer.writeBlocks(blocks);
    // The sequences may begin anywhere after empty blocks, which ends a removal early.
    for (let removals = 0; removals < 3; removals++) await writer.maintain();
    await writer.close();
    await this.whole.writeBlocks(blocks);
  }

  /** Repairs irreversible blocks around the first one that is left; what is stored of each was right. Returns their number. */
  async repairAround(first: number): Promise<number> {
    const last = Math.min(first + 2, this.whole.irreversibleNum);
    const blocks = this.whole.committedBlocks.filter(({ position: { num } }) => num >= first - 2 && num <= last);
    const repairer = await openLmdbStoreRepairer(this.options);
    // Which permission is the newest shows by actions that change permissions, which a synthetic chain has not.
    await repairer.repairBlocks(blocks.map((block) => ({ ...block, permissionChanges: [] })));
    await repairer.close();
    return blocks.length;
  }

  /** Of which blocks its tables have entries. */
  async blockNumbers() {
    const { root, ...tables } = await openExistingTables(this.options);
    const numbersIn = (table: Table): number[] => [...table.getKeys()].map((key) => key.readUInt32BE(0));
    const { blockIndex, blockBodies, undo } = tables;
    const numbers = {
      blockIndex: numbersIn(blockIndex),
      blockBodies: numbersIn(blockBodies),
      undo: numbersIn(undo),
    };
    await root.close();
    return numbers;
  }

  /** The model of what the store has to have now. */
  retained(first: number): ModelHistory {
    const blocks = this.whole.committedBlocks.filter(({ position }) => position.num >= first);
    const began = this.whole.committedBlocks[0]?.position.num ?? 0;
    const model = ModelHistory.of(blocks, { dataFrom: began, hasRemovedBlocks: first > began });
    // ABIs of removed blocks stay.
    model.dataOf = (row) => this.whole.dataOf(row);
    return model;
  }

  dispose(): void {
    rmSync(this.path, { recursive: true });
  }
}

/** An account's traces of blocks from `first` on, with their positions among all that it ever had. */
async function expectPositions(reader: StoreReader, whole: ModelHistory, first: number): Promise<number> {
  let compared = 0;
  for (const account of ACCOUNTS) {
    const all = await whole.getAccountTraces({ account, select: () => ({ first: 0, last: ALL }) });
    const expected = all.rows.filter(({ blockNum }) => blockNum >= first).map(placeOf);
    const firstKept = expected[0]?.[0] ?? all.rows.length;
    for (const select of [
      () => ({ first: 0, last: ALL }),
      (count: number) => ({ first: count - 7, last: count - 1 }),
      (_: number, kept: number) => ({ first: kept, last: kept + 2 }),
    ]) {
      const { first: from, last: to } = select(all.rows.length, firstKept);
      const { rows } = await reader.getAccountTraces({ account, select });
      expect(rows.map(placeOf)).toEqual(expected.filter(([position]) => position >= from && position <= to));
      compared += rows.length;
    }
  }
  return compared;
}

const placeOf = ({ position, trace }: AccountTrace): [number, number] => [position, trace.receipt.globalSequence];

describe('a store that keeps its newest blocks', () => {
  it('has these blocks as if it had begun with them, the whole state, and the positions of the whole chain', async () => {
    const turn = fc.record({
      plans: fc.array(blockPlan, { minLength: 1, maxLength: 5 }),
      depth: fc.nat(4),
      lag: fc.nat(6),
    });
    let [removed, repaired, positions] = [0, 0, 0];
    await fc.assert(
      fc.asyncProperty(
        fc.array(turn, { minLength: 3, maxLength: 9 }),
        fc.integer({ min: 1, max: 9 }),
        async (turns, keep) => {
          const store = new RetainingStore(keep);
          let before = 0;
          let kept: StoreReader | undefined;
          try {
            for (const { plans, depth, lag } of turns) {
              await store.write(plans, depth, lag);
              // Opened once: what a process has cached of lists and blocks is right after they were shortened.
              const reader = (kept ??= await openLmdbStoreReader(store.options));
              const { firstBlockNum = 0, committed } = await reader.getStatus();
              const began = store.whole.committedBlocks[0]?.position.num ?? 0;
              const due = Math.min((committed?.num ?? 0) - keep + 1, store.whole.irreversibleNum);
              // A fork may shorten the chain; what was removed stays removed.
              expect(firstBlockNum).toBe(Math.max(began, due, before));
              before = firstBlockNum;
              repaired += await store.repairAround(firstBlockNum);

              const model = store.retained(firstBlockNum);
              const comparison = new Comparison(withoutTraces(reader, model), model);
              await comparison.status();
              await comparison.everyDataValue();
              await comparison.sampledActions(12, SEED);
              for (const block of store.whole.committedBlocks) await compareBlock(comparison, block);
              positions += await expectPositions(reader, store.whole, firstBlockNum);
              const state = new Comparison(reader, store.whole);
              for (const { permissionChanges } of store.whole.committedBlocks)
                for (const { owner } of permissionChanges)
                  expect((await reader.hasAccount(owner)).exists).toBe((await store.whole.hasAccount(owner)).exists);
              await state.abisOf(model.committedBlocks);
              expect(await listFaults(reader, 3)).toEqual([]);
              const nums = model.committedBlocks.map(({ position }) => position.num);
              const { blockIndex, blockBodies, undo } = await store.blockNumbers();
              expect([blockIndex, blockBodies]).toEqual([nums, nums]);
              expect(undo.filter((num) => num <= store.whole.irreversibleNum)).toEqual([]);
            }
            removed += before;
          } finally {
            await kept?.close();
            store.dispose();
          }
        },
      ),
      { numRuns: CHAINS, seed: SEED },
    );
    expect(removed).toBeGreaterThan(CHAINS * 103);
    expect(repaired).toBeGreaterThan(CHAINS * 8);
    expect(positions).toBeGreaterThan(CHAINS * 20);
  }, 300_000);

  const notifying = {
    account: 'alice',
    name: 'transfer',
    actor: 'bob',
    creatorDistance: 0,
    dataBytes: 8,
    notified: Array.from('abcdefghi'),
  };
  it.each<[string, number, BlockPlan, number]>([
    ['1,000 blocks', 1_500, EMPTY_BLOCK, 1_000],
    ['50,000 sequences', 60, { ...EMPTY_BLOCK, transactions: [Array(100).fill(notifying)] }, 50],
  ])('removes at most %s at once', async (_, count, plan, most) => {
    const store = new RetainingStore(1);
    const last = { num: 10_000, id: 'f'.repeat(64) };
    const blocks = store.chain.blocks(undefined, Array<BlockPlan>(count).fill(plan), last);
    const keepingAll = await openLmdbStoreWriter({ ...store.options, retainBlocks: 0 });
    await keepingAll.writeBlocks(blocks);
    await keepingAll.close();
    const writer = await openLmdbStoreWriter(store.options);
    expect(await writer.maintain()).toMatchObject({ firstBlockNum: (blocks[0]?.position.num ?? 0) + most });
    await writer.close();
    store.dispose();
  });

  it('ignores removed blocks that are sent again', async () => {
    const store = new RetainingStore(3);
    await store.write(Array<BlockPlan>(20).fill(EMPTY_BLOCK), 0, 0);
    await store.write([EMPTY_BLOCK], 0, 0);
    const writer = await openLmdbStoreWriter(store.options);
    const status = await writer.maintain();
    expect(status.firstBlockNum).toBeGreaterThan(110);
    expect(await writer.writeBlocks(store.whole.committedBlocks.slice(4, 6))).toEqual(status);
    await writer.close();
    store.dispose();
  });

  it('uses the room of removed blocks again', async () => {
    const action = {
      account: 'alice',
      name: 'transfer',
      actor: 'bob',
      creatorDistance: 0,
      dataBytes: 40,
      notified: ['bob'],
    };
    const plan: BlockPlan = { transactions: [Array(20).fill(action)], abis: [], permissions: [] };
    const store = new RetainingStore(300);
    const sizes: number[] = [];
    for (let turn = 0; turn < 12; turn++) {
      await store.write(Array<BlockPlan>(150).fill(plan), 0, 0);
      sizes.push(statSync(path.join(store.path, 'data.mdb')).size);
    }
    const reader = await openLmdbStoreReader(store.options);
    const { firstBlockNum = 0, committed } = await reader.getStatus();
    expect((committed?.num ?? 0) - firstBlockNum).toBeLessThan(300 + 150 + 30);
    // What stays of removed blocks is a part of a list per account.
    expect(sizes.at(-1)).toBeLessThan((sizes[4] ?? 0) * 1.15);
    await reader.close();
    store.dispose();
  });
});

/** Comparisons of actions only: positions count what the model does not have. */
function withoutTraces(reader: StoreReader, model: ModelHistory): StoreReader {
  return new Proxy(reader, {
    get: (target, name) => {
      if (name === 'getAccountTraces') return model.getAccountTraces.bind(model);
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

async function compareBlock(comparison: Comparison, { position, transactions }: BlockRecords): Promise<void> {
  await comparison.block({ num: position.num });
  await comparison.block({ id: position.id });
  for (const { id } of transactions) await comparison.transaction(id.toString('hex'), position.num);
}
