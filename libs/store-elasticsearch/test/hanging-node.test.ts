import { setTimeout as sleep } from 'node:timers/promises';
import { describeWithService } from '@antelope-history/servers';
import { type BlockPlan, Comparison, ModelHistory, SimulatedReader } from '@antelope-history/store/contract';
import { withClient } from '../src/client/client';
import { FaultyServer, type SeenRequest } from './faulty-server';
import { withTemporaryStore } from './temporary-store';

/** Shorter than the time limit of a request (60 s). */
const FOUND_WITHIN_MS = 20_000;
const SOON_MS = 3_000;
const CHECK_EVERY_MS = 3_000;

const BLOCK: BlockPlan = {
  transactions: [
    [{ account: 'hot', name: 'ping', actor: 'hot', notified: ['cold'], creatorDistance: 0, dataBytes: 50 }],
  ],
  abis: [],
  permissions: [],
};

describeWithService(['elasticsearch'], (url = '') => {
  describe('one of two nodes', () => {
    let nodes: [FaultyServer, FaultyServer];
    beforeEach(async () => {
      nodes = [await FaultyServer.start(url), await FaultyServer.start(url)];
    });
    afterEach(() => Promise.all(nodes.map((node) => node.stop())));

    it('that hangs delays some requests once, is not used meanwhile, and used again afterwards', async () => {
      const urls = nodes.map((node) => node.url);
      await withTemporaryStore(url, { urls }, async ({ store }) => {
        const reader = new SimulatedReader();
        reader.grow([BLOCK, BLOCK]);
        await store.writeBlocks(reader.read(Infinity));
        const [first] = nodes;
        first.fault = () => 'silence';
        const readAll = async () => {
          const comparison = new Comparison(store, ModelHistory.of(reader.chain));
          await comparison.status();
          await comparison.sampledActions(1, 1);
        };
        expect(await msOf(() => Promise.all([1, 2, 3, 4].map(readAll)))).toBeLessThan(FOUND_WITHIN_MS);
        reader.grow([BLOCK, BLOCK]);
        await store.writeBlocks(reader.read(Infinity));
        const seen = first.seen.length;
        // A check has failed when the next one but one begins.
        while (first.seen.length < seen + 3) {
          expect(await msOf(readAll)).toBeLessThan(SOON_MS);
          await sleep(100);
        }
        expect(first.seen.slice(seen).every(isCheck)).toBe(true);
        first.fault = () => 'none';
        first.seen.splice(0);
        while (first.seen.every(isCheck)) {
          await readAll();
          await sleep(100);
        }
      });
    }, 60_000);

    it('that is slow keeps the requests it has while it responds to others', async () => {
      const urls = nodes.map((node) => node.url);
      await withTemporaryStore(url, { urls }, async ({ store }) => {
        const reader = new SimulatedReader();
        reader.grow([BLOCK, BLOCK]);
        for (const node of nodes)
          node.fault = ({ path }) => (path.includes('_bulk') ? { until: sleep(3_500) } : 'none');
        await store.writeBlocks(reader.read(Infinity));
        const bulks = nodes.flatMap(({ seen }) => seen).filter(({ path }) => path.includes('_bulk'));
        expect(new Set(bulks.map(({ body }) => body)).size).toBe(bulks.length);
      });
    }, 60_000);

    it('that hangs does not keep an interrupted program waiting', async () => {
      for (const node of nodes) node.fault = () => 'silence';
      const interruption = new AbortController();
      setTimeout(() => interruption.abort(), 100);
      const ask = () => withClient(optionsOf(nodes), (client) => client.info(), interruption.signal);
      const interrupted = expect(ask()).rejects.toMatchObject({ code: 'STOPPED' });
      expect(await msOf(() => interrupted)).toBeLessThan(SOON_MS);
    });

    it('is not checked when it has responded', async () => {
      await withClient(optionsOf(nodes), async (client) => {
        await client.cluster.health();
        for (const { seen } of nodes) seen.splice(0);
        await sleep(CHECK_EVERY_MS + 1_000);
      });
      expect(nodes.flatMap(({ seen }) => seen)).toEqual([]);
    }, 20_000);
  });
});

const isCheck = ({ path }: SeenRequest): boolean => path === '/';

async function msOf(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

function optionsOf(nodes: readonly FaultyServer[]): Parameters<typeof withClient>[0] {
  return {
    ...{
      urls: nodes.map(({ url }) => url),
      indexPrefix: 'any',
      blocksPerIndex: 1,
      actionsPerIndex: 1,
      retainBlocks: 0,
    },
    ...{ replicas: 0, bulkBytes: 1, bulkConcurrency: 1, commitSeconds: 1, requestTimeoutSeconds: 60 },
  };
}
