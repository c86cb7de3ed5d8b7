import type { BlockRecords } from '@antelope-history/records';
import { describeWithService } from '@antelope-history/servers';
import {
  type ActionPlan,
  type BlockPlan,
  Comparison,
  EMPTY_BLOCK,
  ModelHistory,
  SyntheticChain,
} from '@antelope-history/store/contract';
import { Searcher } from '../src/client/search';
import { BranchDocuments } from '../src/commit/branch-documents';
import { BulkWriter } from '../src/write/bulk-writer';
import { IndexedBlocks, NO_DATA_FIELDS } from './indexed-blocks';

const KEY = Buffer.alloc(34, 3);
const FIRST_BLOCK = 100;
/** More than one search names. */
const MANY_BLOCKS = 1_010;
/** More documents than one request deletes. */
const MORE_THAN_AT_ONCE = 5_001;

/** Blocks with actions, an ABI and a permission each. */
const TELLING: BlockPlan = {
  transactions: Array.from({ length: 3 }, () => [
    { account: 'hot', name: 'ping', actor: 'alice', notified: ['cold'], creatorDistance: 0, dataBytes: 8 },
    { account: 'warm', name: 'pong', actor: 'alice', notified: [], creatorDistance: 1, dataBytes: 8 },
  ]),
  abis: [],
  permissions: [],
};

describeWithService(['elasticsearch'], (url) => {
  describe('the branch that the progress lists', () => {
    let indexed: IndexedBlocks;
    let trunk: BlockRecords[];
    let orphans: BlockRecords[];
    let later: BlockRecords[];

    /** The indices also hold orphaned and uncommitted blocks, with other ABIs and permissions. */
    beforeAll(async () => {
      const chain = new SyntheticChain();
      trunk = chain.blocks(undefined, distinctBlocks(0, 20));
      orphans = chain.blocks(trunk[9], distinctBlocks(100, 8));
      later = chain.blocks(trunk.at(-1), distinctBlocks(200, 4));
      indexed = await IndexedBlocks.open(url, 8);
      await indexed.put([...orphans, ...later, ...trunk]);
    });
    afterAll(() => indexed.dispose());

    it.each([
      ['the trunk, all of it named', () => trunk, 0],
      ['the trunk, half of it clean', () => trunk, FIRST_BLOCK + 9],
      ['the trunk without its newest block', () => trunk.slice(0, -1), FIRST_BLOCK + 9],
      ['the trunk and what comes later', () => [...trunk, ...later], FIRST_BLOCK + 9],
      ['the fork', () => [...trunk.slice(0, 10), ...orphans], FIRST_BLOCK + 5],
      ['a part of the trunk that is clean', () => trunk.slice(0, 10), FIRST_BLOCK + 9],
    ])(
      'is the state that every query reads: %s',
      async (_what, blocksOf, cleanUpTo) => {
        const blocks = blocksOf();
        await indexed.commit({ blocks, cleanUpTo });
        const all = [...trunk, ...orphans, ...later];
        const comparison = new Comparison(indexed.reader, ModelHistory.of(blocks, NO_DATA_FIELDS));
        await comparison.status();
        await comparison.sampledActions(150, cleanUpTo);
        await comparison.permissionsOf(all);
        await comparison.abisOf(blocks);
        await comparison.block('latest');
        for (const { position, transactions } of all) {
          await comparison.block({ id: position.id });
          await comparison.block({ num: position.num });
          for (const { id } of transactions) await comparison.transaction(id.toString('hex'));
        }
        await comparison.block({ num: 1 });
        await comparison.block({ num: 2 ** 32 });
        await comparison.block({ id: 'f'.repeat(64) });
      },
      240_000,
    );

    it('is freed of orphans next to a range whose index was deleted', async () => {
      const lossy = await IndexedBlocks.open(url, 8);
      await lossy.put([...orphans, ...trunk]);
      const { client, names } = lossy;
      const [kept, lost] = [lossy.rangedIndex('actions', 111), lossy.rangedIndex('actions', 112)];
      await client.indices.delete({ index: lost });
      const documents = new BranchDocuments(client, names, new Searcher(client, 30), new BulkWriter(client, 1));
      // The first and the last of these blocks have orphans, and the block before them has none.
      const positions = trunk.slice(10, 18).map(({ position }) => position);
      // Of a block that is not the last one of its range, then from the last one on.
      await documents.removeStrays(109, 110, positions.slice(0, 1), { blocks_per_index: 8 });
      await documents.removeStrays(110, 117, positions.slice(1), { blocks_per_index: 8 });
      await client.indices.refresh({ index: kept });
      const query = { terms: { block: orphans.map(({ position }) => position.id) } };
      const counts = [kept, lossy.rangedIndex('blocks', 112)].map((index) => client.count({ index, query }));
      expect((await Promise.all(counts)).map(({ count }) => count)).toEqual([0, 0]);
      const before = { term: { block: trunk[9]!.position.id } };
      expect((await client.count({ index: kept, query: before })).count).toBe(6);
      expect((await client.count({ index: kept })).count).toBeGreaterThan(6);
      await lossy.dispose();
    });

    it('is freed of orphans, and of no other block, however many of both there are', async () => {
      const chain = new SyntheticChain();
      const plans = Array<BlockPlan>(MANY_BLOCKS).fill(EMPTY_BLOCK);
      plans[MANY_BLOCKS - 2] = TELLING;
      const branch = chain.blocks(undefined, plans);
      const [action] = TELLING.transactions[0] as [ActionPlan];
      const large = { ...EMPTY_BLOCK, transactions: [Array<ActionPlan>(MORE_THAN_AT_ONCE).fill(action)] };
      const strays = [
        chain.block(branch[3], TELLING),
        chain.block(branch[999], TELLING),
        chain.block(branch.at(-3), large),
      ];
      const many = await IndexedBlocks.open(url);
      await many.put([...branch, ...strays]);
      const { client, names } = many;
      const documents = new BranchDocuments(client, names, new Searcher(client, 30), new BulkWriter(client, 1));
      const positions = branch.map(({ position }) => position);
      await documents.removeStrays(FIRST_BLOCK - 1, positions.at(-1)!.num, positions, { blocks_per_index: 1_000_000 });
      await client.indices.refresh({ index: `${names.prefix}-*` });
      const counts = (['actions', 'blocks', 'bodies'] as const).map((kind) => client.count({ index: names.of(kind) }));
      expect((await Promise.all(counts)).map(({ count }) => count)).toEqual([6, MANY_BLOCKS, MANY_BLOCKS]);
      await many.dispose();
    }, 120_000);

    it('has the state of a snapshot, and no history of it', async () => {
      const [first, ...rest] = trunk as [BlockRecords, ...BlockRecords[]];
      const snapshot = { ...first, block: undefined, timestamp: 0, transactions: [] };
      const started = await IndexedBlocks.open(url);
      await started.put([snapshot, ...rest]);
      await started.commit({ blocks: [snapshot, ...rest], cleanUpTo: 0 });
      const comparison = new Comparison(started.reader, ModelHistory.of([snapshot, ...rest], NO_DATA_FIELDS));
      await comparison.status();
      await comparison.permissionsOf(trunk);
      await comparison.abisOf(rest);
      await comparison.sampledActions(50, 1);
      await comparison.block({ num: FIRST_BLOCK });
      await comparison.block({ id: first.position.id });
      await started.dispose();
    });
  });

  it('reads an empty store before and after its first index exists', async () => {
    const indexed = await IndexedBlocks.open(url);
    const comparison = new Comparison(indexed.reader, new ModelHistory());
    const ask = async (): Promise<void> => {
      await comparison.status();
      await comparison.sampledActions(20, 1);
      await comparison.transaction('0'.repeat(64));
      for (const selector of ['latest', { num: 1 }, { id: '0'.repeat(64) }] as const) await comparison.block(selector);
      await comparison.abis([{ account: 'eosio', blockNum: 1, sequence: 1 }]);
      await comparison.keyAccounts(KEY);
      await comparison.controlledAccounts('eosio');
    };
    await ask();
    await indexed.put(new SyntheticChain().blocks(undefined, [TELLING]));
    await ask();
    await indexed.dispose();
    await expect(indexed.reader.getStatus()).rejects.toMatchObject({ code: 'STOPPED' });
  });
});

/** Blocks with an ABI and permissions of their own. */
function distinctBlocks(from: number, count: number): BlockPlan[] {
  return Array.from({ length: count }, (_, index) => {
    const mark = from + index;
    return {
      ...TELLING,
      abis: [
        { account: 'hot', abi: Buffer.from(`abi ${mark}`) },
        { account: 'warm', abi: Buffer.from(mark % 3 === 0 ? '' : `warm ${mark % 2}`) },
      ],
      permissions: [
        { owner: 'alice', name: 'active', authority: { keys: [Buffer.alloc(34, mark)], actors: [] } },
        { owner: 'bob', name: 'active', authority: mark % 2 === 0 ? { keys: [KEY], actors: ['alice'] } : undefined },
        { owner: `owner${'abcde'[mark % 5]}`, name: 'owner', authority: { keys: [KEY], actors: ['bob'] } },
      ],
    };
  });
}
