import type { BlockRecords } from '@antelope-history/records';
import { describeWithService } from '@antelope-history/servers';
import { MAX_PAGE_BYTES, type ActionsQuery } from '@antelope-history/store';
import {
  EVERY_ACTION,
  Comparison,
  ModelHistory,
  SyntheticChain,
  type ActionPlan,
  type BlockPlan,
} from '@antelope-history/store/contract';
import { ElasticsearchReader } from '../src/read/elasticsearch-reader';
import { IndexedBlocks, NO_DATA_FIELDS } from './indexed-blocks';
import { RoundTrips } from './round-trips';

const EVERYTHING: ActionsQuery = { ...EVERY_ACTION, limit: 30 };

const BLOCKS = 60;
const ACTIONS_PER_BLOCK = 2_000;
const BLOCKS_PER_INDEX = 16;
const FIRST_BLOCK = 100;

describeWithService(['elasticsearch'], (url) => {
  describe('pages at any depth', () => {
    let indexed: IndexedBlocks;
    let model: ModelHistory;
    let comparison: Comparison;

    /** 120,000 rows in five indices, with orphans at every height that is not clean and blocks that are not committed. */
    beforeAll(async () => {
      const chain = new SyntheticChain();
      const trunk = chain.blocks(undefined, plans(BLOCKS));
      const orphans = chain.blocks(trunk[BLOCKS - 9], plans(8));
      const later = chain.blocks(trunk.at(-1), plans(3));
      indexed = await IndexedBlocks.open(url, BLOCKS_PER_INDEX);
      await indexed.put([...trunk, ...orphans, ...later]);
      await indexed.commit({ blocks: trunk, cleanUpTo: FIRST_BLOCK + BLOCKS - 9 });
      model = ModelHistory.of(trunk, NO_DATA_FIELDS);
      comparison = new Comparison(indexed.reader, model);
    }, 180_000);
    afterAll(() => indexed.dispose());

    const both = async (query: Partial<ActionsQuery>): Promise<void> => {
      await comparison.actions({ ...EVERYTHING, ...query, order: 'asc' });
      await comparison.actions({ ...EVERYTHING, ...query, order: 'desc' });
    };

    it.each([0, 101, 1_000, 1_001, 8_999, 9_001, 10_000, 16_000, 50_001, 119_999, 120_000, 1e12])(
      'passes over %d rows of the whole chain and of an account',
      async (skip) => {
        await both({ skip });
        await both({ skip, account: 'hot' });
        await both({ skip: Math.floor(skip / 3), account: 'cold' });
      },
    );

    it('counts with filters, root actions and bounds', async () => {
      await both({ skip: 20_000, filters: [{ account: 'hot', name: 'ping' }, { name: 'none' }] });
      await both({ skip: 39_990, filters: [{ account: 'warm' }] });
      await both({ skip: 25_000, parent: 'root' });
      await both({ skip: 30_000, after: { blockNum: 110 }, before: { blockNum: 140 } });
      await both({ skip: 61_990, after: { blockNum: 110 }, before: { blockNum: 140 } });
      await both({ skip: 62_000, after: { blockNum: 110 }, before: { blockNum: 140 } });
      await both({ skip: 12_000, account: 'cold', after: { blockNum: 130 } });
      await both({ skip: 9_500, before: { blockNum: 104 } });
      for (const skip of [1_001, 3_333, 5_999, 6_000]) {
        await both({ skip, account: 'warm' });
        await both({ skip, account: 'cold', after: { blockNum: 111 } });
        await both({ skip, before: { blockNum: 131 }, parent: 'root' });
        await both({ skip, after: { blockNum: 114 }, before: { blockNum: 117 } });
      }
    });

    it('finds the children of an action within bounds only', async () => {
      const { position, transactions } = model.committedBlocks[10]!;
      const parent = { sequence: transactions[0]!.firstSequence };
      for (const blockNum of [-1, 0, 1].map((distance) => position.num + distance)) {
        await both({ parent, after: { blockNum } });
        await both({ parent, before: { blockNum } });
      }
    });

    it('finds time bounds within and between blocks', async () => {
      const times = [0, 17, 40, 59].map((index) => timeMsOf(model.committedBlocks[index]!));
      for (const time of times) {
        for (const ms of [time - 1, time, time + 1]) {
          await both({ after: { timeMs: ms } });
          await both({ before: { timeMs: ms } });
          await both({ after: { timeMs: ms }, before: { timeMs: ms }, skip: 1_990 });
        }
      }
      await both({ after: { timeMs: 0 }, before: { timeMs: 4e12 }, skip: 100_000 });
      await both({ after: { timeMs: 4e12 } });
      await both({ before: { timeMs: -4e12 } });
    });

    it.each<Partial<ActionsQuery>>([
      { limit: 1 },
      { limit: 100 },
      { limit: 101 },
      { limit: 1_000 },
      { limit: 10_000, account: 'cold' },
      { limit: 20_000, account: 'hot' },
      { limit: 500, before: { blockNum: 100 }, filters: [{ account: 'warm' }] },
    ])('shows the newest rows in either order: %j', (query) => both({ window: 'newest', ...query }));

    it('sends at most eight requests for a deep page', async () => {
      let requests = 0;
      const count = (): void => {
        requests++;
      };
      indexed.client.diagnostic.on('response', count);
      const { rows } = await indexed.reader.getActions({ ...EVERYTHING, order: 'desc', skip: 100_000, limit: 100 });
      indexed.client.diagnostic.off('response', count);
      expect(rows).toHaveLength(100);
      expect(requests).toBeGreaterThan(2);
      expect(requests).toBeLessThanOrEqual(8);
    });

    it('lets the server skip few rows of a page that is not far from the newest row', async () => {
      const trips = new RoundTrips(indexed.client);
      const skipped: [number, number][] = [];
      // The newest range has 32,000 actions, which are not counted for a page beyond them.
      for (const skip of [1_000, 1_001, 9_000, 31_999, 32_500]) {
        await indexed.reader.getStatus();
        const found = await trips.of(() => indexed.reader.getActions({ ...EVERYTHING, order: 'desc', skip }));
        skipped.push([found.depth, found.skipped]);
      }
      expect(skipped).toEqual([
        [1, 1_000],
        [2, expect.closeTo(30, -2)],
        [2, expect.closeTo(300, -3)],
        [2, expect.closeTo(500, -3)],
        [2, 500],
      ]);
    });

    it('searches only once where the actions of an old range begin and end', async () => {
      const reader = new ElasticsearchReader(indexed.client, indexed.names, 30);
      const trips = new RoundTrips(indexed.client);
      const searchesBlocks: boolean[] = [];
      for (const skip of [106_000, 106_000, 108_000]) {
        const { indices } = await trips.of(() => reader.getActions({ ...EVERYTHING, order: 'desc', skip }));
        searchesBlocks.push(indices.some((index) => index.startsWith(`${indexed.names.of('blocks')}-`)));
      }
      expect(searchesBlocks).toEqual([true, false, false]);
    });
  });

  describe('pages of large rows', () => {
    const LARGE_BYTES = 512 * 1024;
    let indexed: IndexedBlocks;
    let model: ModelHistory;

    /** Small rows first, then more than two pages of large ones. */
    beforeAll(async () => {
      const small = planOf([Array.from({ length: 300 }, () => ({ ...PING, notified: [] }))]);
      const large = Array.from({ length: 70 }, () => planOf([[{ ...PING, notified: [], dataBytes: LARGE_BYTES }]]));
      const blocks = new SyntheticChain().blocks(undefined, [small, ...large]);
      indexed = await IndexedBlocks.open(url);
      await indexed.put(blocks);
      await indexed.commit({ blocks, cleanUpTo: FIRST_BLOCK + 70 });
      model = ModelHistory.of(blocks, NO_DATA_FIELDS);
    }, 120_000);
    afterAll(() => indexed.dispose());

    it.each(['asc', 'desc'] as const)('end where they are full (%s)', async (order) => {
      const comparison = new Comparison(indexed.reader, model);
      const full = MAX_PAGE_BYTES / LARGE_BYTES;
      for (const skip of [0, 38, 71 - full, 290, 340]) {
        await comparison.actions({ ...EVERYTHING, order, skip, limit: 1_000 });
      }
      await comparison.actions({ ...EVERYTHING, order, window: 'newest', limit: 40 });
      const newest = await indexed.reader.getActions({ ...EVERYTHING, order: 'desc', limit: 1_000 });
      expect({ rows: newest.rows.length, more: newest.more }).toEqual({ rows: full, more: true });
    });
  });
});

const PING: ActionPlan = {
  account: 'hot',
  name: 'ping',
  actor: 'hot',
  notified: [],
  creatorDistance: 0,
  dataBytes: 8,
};

/** Notifications take sequences without a row of their own. */
function plans(count: number): BlockPlan[] {
  const transactions = Array.from({ length: ACTIONS_PER_BLOCK / 4 }, (_, index): ActionPlan[] => [
    PING,
    { ...PING, creatorDistance: 1, notified: index % 2 === 0 ? ['cold'] : [] },
    { ...PING, account: 'warm', notified: ['cold', 'hot', 'luke'] },
    { ...PING, name: 'pong', creatorDistance: 2 },
  ]);
  return Array.from({ length: count }, () => planOf(transactions));
}

function planOf(transactions: ActionPlan[][]): BlockPlan {
  return { transactions, abis: [], permissions: [] };
}

function timeMsOf(block: BlockRecords): number {
  return Date.UTC(2000, 0, 1) + block.timestamp * 500;
}
