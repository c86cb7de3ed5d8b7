import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import type { BlockRecords, PermissionChange } from '@antelope-history/records';
import {
  ABIS,
  type BlockPlan,
  Comparison,
  CONTRACT_DATA_FIELDS,
  DATA,
  listFaults,
  ModelHistory,
  SyntheticChain,
} from '@antelope-history/store/contract';
import type { StoreRepairer, StoreWriter } from '@antelope-history/store';
import { testSize } from '@antelope-history/test-support/random';
import { openLmdbStoreReader } from '../src/reader';
import { BlockRepair } from '../src/write/block-repair';
import { DataListRepair } from '../src/write/data-list-repair';
import { openForWriting, type WritableStore } from '../src/write/open-writer';
import { openLmdbStoreWriter } from '../src/writer';

const CHAINS = testSize({ usual: 100, long: 1_000 });
const SEED = 4711;
/** Data of one length. */
const NAMES = DATA.slice(0, 4);
const OTHER_ID = Buffer.alloc(32, 0xee);

/** Ways in which a block is wrong when it is indexed. */
const DAMAGES = {
  'another ABI': (block, index) => ({
    abiChanges: block.abiChanges.map((change) => ({ ...change, abi: ABIS[index % ABIS.length] as Buffer })),
  }),
  'no ABI': () => ({ abiChanges: [] }),
  'the ABI of another contract': ({ abiChanges, transactions: [first] }, index) => ({
    abiChanges: first
      ? [...abiChanges, { account: 'alice', sequence: first.firstSequence, abi: ABIS[index % ABIS.length] as Buffer }]
      : abiChanges,
  }),
  'other data': ({ transactions }, index) => ({
    transactions: transactions.map((each) => ({
      ...each,
      actions: each.actions.map((action) => ({ ...action, bytes: withOtherData(action.bytes, index) })),
    })),
  }),
  'another id of a transaction': ({ transactions }) => ({
    transactions: transactions.map((each, at) => (at === 0 ? { ...each, id: OTHER_ID } : each)),
  }),
} satisfies Record<string, (block: BlockRecords, index: number) => Partial<BlockRecords>>;

type Damage = keyof typeof DAMAGES;

function withOtherData(bytes: Buffer, index: number): Buffer {
  const found = NAMES.find((data) => bytes.includes(data));
  if (!found) return bytes;
  const other = Buffer.from(bytes);
  (NAMES[index % NAMES.length] as Buffer).copy(other, other.indexOf(found));
  return other;
}

/** A setabi is an action of its block; some ABIs are in force from the beginning of the block. */
function withAbisOfBlock(block: BlockRecords, isFromBegin: boolean): BlockRecords {
  const last = block.transactions.at(-1);
  const end = last ? last.firstSequence + last.sequenceCount : 0;
  const changes = block.abiChanges.filter(({ sequence }) => sequence < end);
  const abiChanges = isFromBegin ? changes.map((change) => ({ ...change, sequence: 0 })) : changes;
  return { ...block, abiChanges };
}

const contract = fc.constantFrom('alice', 'eosio');
const action = fc.record({
  account: contract,
  name: fc.constantFrom('transfer', 'issue'),
  actor: fc.constantFrom('alice', 'bob', 'carol'),
  notified: fc.constantFrom<string[]>([], ['bob'], ['carol', 'bob']),
  creatorDistance: fc.nat(1),
  dataBytes: fc.constant(4),
  data: fc.constantFrom(...NAMES),
});
const plans = (most: number): fc.Arbitrary<BlockPlan[]> => {
  const plan = fc.record({
    transactions: fc.array(fc.array(action, { minLength: 1, maxLength: 4 }), { maxLength: 3 }),
    abis: fc.array(fc.record({ account: contract, abi: fc.constantFrom(...ABIS) }), { maxLength: 2 }),
    permissions: fc.constant<PermissionChange[]>([]),
  });
  return fc.array(plan, { minLength: 1, maxLength: most });
};

const history = fc.record({
  irreversible: plans(8),
  branches: fc.tuple(plans(5), plans(5), plans(5)),
  undone: fc.tuple(fc.nat(5), fc.nat(5)),
  damaged: fc.array(
    fc.record({
      at: fc.nat(7),
      how: fc.constantFrom(...(Object.keys(DAMAGES) as Damage[])),
      index: fc.nat(4),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  isAtOnce: fc.boolean(),
  fromBegin: fc.nat(7),
  killedAfter: fc.nat(6),
});

describe('repairing blocks that were indexed wrong', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'store-lmdb-repair-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  let options: { path: string; mapSizeBytes: number; dataFields: readonly string[] };
  beforeEach(() => {
    options = optionsOfNew();
  });
  const optionsOfNew = () => ({
    path: mkdtempSync(path.join(folder, 'store-')),
    mapSizeBytes: 0,
    dataFields: CONTRACT_DATA_FIELDS,
  });
  const openWriter = async () => (await openLmdbStoreWriter(options)) as StoreWriter & StoreRepairer;
  const write = async (blocks: BlockRecords[]): Promise<void> => {
    const writer = await openWriter();
    await writer.writeBlocks(blocks);
    await writer.close();
  };
  const withTables = async (change: (store: WritableStore) => Promise<void>): Promise<void> => {
    const store = await openForWriting(options);
    await change(store);
    await store.tables.root.close();
    await store.lock.release();
  };
  /** In many small batches, and killed after some of them. */
  const repairPart = (blocks: BlockRecords[], batches: number): Promise<void> =>
    withTables(async ({ tables, committer }) => {
      let left = batches;
      for (const batch of new BlockRepair(tables, new DataListRepair(tables, 2)).batches(blocks)) {
        if (left-- <= 0) break;
        await committer.commit(batch);
      }
    });
  /** Compares the actions of all values, also of those that the wrong chains have, and the lists. Returns the number of queries. */
  const expectSame = async (blocks: BlockRecords[], wrong: BlockRecords[][]): Promise<number> => {
    const reader = await openLmdbStoreReader(options);
    const comparison = new Comparison(reader, ModelHistory.of(blocks));
    await comparison.status();
    await comparison.sampledActions(10, SEED);
    await comparison.abisOf(blocks);
    for (const chain of [blocks, ...wrong]) {
      await comparison.everyDataValue(ModelHistory.of(chain));
      for (const { id } of chain.flatMap(({ transactions }) => transactions))
        await comparison.transaction(id.toString('hex'));
    }
    expect(await listFaults(reader, 1)).toEqual([]);
    await reader.close();
    return comparison.asked;
  };

  it('gives the store that the right blocks would have made, also after forks', async () => {
    let asked = 0;
    await fc.assert(
      fc.asyncProperty(history, async ({ irreversible, branches, undone, ...plan }) => {
        options = optionsOfNew();
        const chain = new SyntheticChain();
        const right = chain
          .blocks(undefined, irreversible)
          .map((block, index) => withAbisOfBlock(block, index === plan.fromBegin));
        const wrong = [...right];
        for (const { at, how, index } of plan.damaged) {
          const block = wrong[at % wrong.length] as BlockRecords;
          wrong[at % wrong.length] = { ...block, ...DAMAGES[how](block, index) };
        }
        const repaired = right.filter((block, index) => block !== wrong[index]);
        const written: BlockRecords[][] = [];
        let reversible: BlockRecords[] = [];
        const branchAfter = (kept: BlockRecords[], branch: BlockPlan[]): BlockRecords[] => {
          const blocks = chain
            .blocks(kept.at(-1) ?? right.at(-1), branch, right.at(-1)?.position)
            .map((block) => withAbisOfBlock(block, false));
          reversible = [...kept, ...blocks];
          written.push([...wrong, ...reversible]);
          return blocks;
        };
        const kept = (at: 0 | 1): BlockRecords[] => reversible.slice(0, Math.max(0, reversible.length - undone[at]));

        const first = [...wrong, ...branchAfter([], branches[0])];
        if (plan.isAtOnce) await write(first);
        else for (const block of first) await write([block]);
        await repairPart(repaired, plan.killedAfter);
        const writer = await openWriter();
        await writer.writeBlocks(branchAfter(kept(0), branches[1]));
        await writer.repairBlocks(repaired);
        asked += await expectSame([...right, ...reversible], written);
        await writer.writeBlocks(branchAfter(kept(1), branches[2]));
        await writer.close();
        asked += await expectSame([...right, ...reversible], written);
      }),
      { numRuns: CHAINS, seed: SEED },
    );
    expect(asked).toBeGreaterThan(CHAINS * 100);
  }, 300_000);
});
