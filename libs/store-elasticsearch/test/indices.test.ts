import { Client } from '@elastic/elasticsearch';
import type { BlockRecords } from '@antelope-history/records';
import { describeWithService } from '@antelope-history/servers';
import type { HistoryWriter } from '@antelope-history/store';
import {
  Comparison,
  EMPTY_BLOCK,
  ModelHistory,
  ReaderSessions,
  SyntheticChain,
  type BlockPlan,
} from '@antelope-history/store/contract';
import { testSize } from '@antelope-history/test-support/random';
import type { ProgressDocument } from '../src/indices/documents';
import { parseTiers } from '../src/indices/index-tiers';
import { ProgressReader } from '../src/indices/progress';
import { IndexProvisioner } from '../src/write/index-provisioner';
import { openElasticsearchStoreWriter } from '../src/writer';
import { beginEarlier } from './earlier-store';
import { FaultyServer } from './faulty-server';
import { TemporaryStore, withTemporaryStore } from './temporary-store';

const BUSY: BlockPlan = {
  transactions: [[{ account: 'hot', name: 'ping', actor: 'hot', notified: [], creatorDistance: 0, dataBytes: 8 }]],
  abis: [],
  permissions: [],
};

/** Ranges in one commit: at about 120, one list of all their indices is longer than a server takes in a request line. */
const RANGES = testSize({ usual: 10, long: 130 });

/** A cluster on a busy machine creates a few indices per second. */
jest.setTimeout(testSize({ usual: 120_000, long: 600_000 }));

describeWithService(['elasticsearch'], (url = '') => {
  const client = new Client({ node: url });
  afterAll(() => client.close());

  async function namesOf({ names }: TemporaryStore, kind: 'actions' | 'blocks' | 'bodies'): Promise<string[]> {
    const found = await client.indices.get({ index: `${names.of(kind)}-*` });
    return Object.keys(found).sort();
  }

  async function rangesOf({ names }: TemporaryStore): Promise<ProgressDocument['ranges']> {
    return (await new ProgressReader(client, names).read())?.progress.ranges;
  }

  async function replicasOf(temporary: TemporaryStore): Promise<number[]> {
    const settings = await client.indices.getSettings({ index: await namesOf(temporary, 'actions') });
    return Object.entries(settings)
      .sort()
      .map(([, { settings: each }]) => Number(each?.index?.number_of_replicas));
  }

  it('are created by several writers that start at once', () =>
    withTemporaryStore(url, {}, async (temporary) => {
      const writers = await Promise.all([temporary.openWriter(), temporary.openWriter(), temporary.openWriter()]);
      const [blocks] = [new ReaderSessions().read(new SyntheticChain().blocks(undefined, [BUSY, BUSY, BUSY]))];
      await Promise.all(writers.map((writer, index) => writer.writeBlocks([blocks[index] as BlockRecords])));
      expect(await temporary.store.getStatus()).toMatchObject({ committed: blocks[2]?.position });
    }));

  it('keep their number of blocks, whatever the next writer is configured with', () =>
    withTemporaryStore(url, { blocksPerIndex: 10 }, async (temporary) => {
      const writer = await temporary.openWriter({ blocksPerIndex: 1_000 });
      await writer.writeBlocks(new ReaderSessions().read(new SyntheticChain().blocks(undefined, [BUSY])));
      expect(await namesOf(temporary, 'actions')).toEqual([`${temporary.names.actions}-0000000100`]);
    }));

  it('are followed by others when they are full, at a block that no process has written yet', () =>
    withTemporaryStore(url, { blocksPerIndex: 150, actionsPerIndex: 12 }, async (temporary) => {
      const sessions = new ReaderSessions();
      const blocks = grownIrreversible(new SyntheticChain(), 82);
      await write(temporary.store, sessions, blocks.slice(0, 30));
      // Two blocks are reserved at once.
      expect(await rangesOf(temporary)).toMatchObject({ starts: [130], newest: { first: 0, actions: 15 } });
      await write(temporary.store, sessions, blocks.slice(30, 32));
      expect(await rangesOf(temporary)).toMatchObject({ starts: [130], newest: { first: 130, actions: 1 } });
      for (let start = 32; start < 82; start += 8)
        await write(temporary.store, sessions, blocks.slice(start, start + 8));
      await temporary.settled();
      const { starts = [] } = (await rangesOf(temporary)) ?? {};
      expect(starts).toEqual([130, 180]);
      const firsts = [0, 130, 150, 180].map((num) => num.toString().padStart(10, '0'));
      expect(await namesOf(temporary, 'actions')).toEqual(firsts.map((first) => `${temporary.names.actions}-${first}`));
      expect(await namesOf(temporary, 'bodies')).toEqual(firsts.map((first) => `${temporary.names.bodies}-${first}`));
      const comparison = new Comparison(temporary.store, ModelHistory.of(blocks, { dataFrom: 100 }));
      await comparison.status();
      await comparison.sampledActions(60, 1);
      for (const num of [100, 129, 130, 149, 150, 179, 180, 181]) await comparison.block({ num });
    }));

  it('hold each block once, also when a process writes that has read the progress before they were full', () =>
    withTemporaryStore(url, { blocksPerIndex: 1_000, actionsPerIndex: 6 }, async (temporary) => {
      const server = await FaultyServer.start(url);
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      const hasArrived = new Promise<void>((arrived) => {
        server.fault = ({ path }) => {
          if (!path.includes('/_bulk')) return 'none';
          arrived();
          return { until: held };
        };
      });
      try {
        const irreversible = { num: 5_000, id: 'f'.repeat(64) };
        // No write term keeps a late process from writing blocks that are irreversible.
        const far = grownIrreversible(new SyntheticChain(), 40).map((block) => {
          return { ...block, head: irreversible, lastIrreversible: irreversible };
        });
        const blocks = new ReaderSessions().read(far);
        await temporary.store.writeBlocks(blocks.slice(0, 10));
        const late = await temporary.openWriter({ urls: [server.url], bulkBytes: 1 });
        const writing = late.writeBlocks(blocks.slice(10));
        await hasArrived;
        await temporary.store.writeBlocks(blocks.slice(10, 12));
        await temporary.store.maintain();
        // The late process has reserved the blocks below, and has read that they are in the first range.
        expect(await rangesOf(temporary)).toMatchObject({ starts: [120], unwritten_from: 120 });
        release();
        await writing;
        await temporary.store.maintain();
        expect(await temporary.store.getStatus()).toMatchObject({ committed: blocks.at(-1)?.position });
        const index = `${temporary.names.blocks}-*`;
        const { hits } = await client.search({ index, size: 100, sort: ['block_num'], docvalue_fields: ['block_num'] });
        const nums = hits.hits.map(({ fields }) => (fields as { block_num: number[] }).block_num[0]);
        expect(nums).toEqual(blocks.map(({ position }) => position.num));
        const comparison = new Comparison(temporary.store, ModelHistory.of(blocks, { dataFrom: 100 }));
        await comparison.sampledActions(30, 1);
      } finally {
        release();
        await server.stop();
      }
    }));

  it('are refused when another template was applied to them', () =>
    withTemporaryStore(url, {}, async (temporary) => {
      const name = `${temporary.names.prefix}-other`;
      const template = { mappings: { properties: {} } };
      const index_patterns = [`${temporary.names.actions}-*`];
      await client.indices.putIndexTemplate({ name, index_patterns, priority: 900, template });
      try {
        const blocks = new ReaderSessions().read(new SyntheticChain().blocks(undefined, [BUSY]));
        await expect(temporary.store.writeBlocks(blocks)).rejects.toMatchObject({ code: 'STORE_REFUSED' });
      } finally {
        await client.indices.deleteIndexTemplate({ name });
      }
    }));

  it('stay deleted when a process writes to them that was suspended before', () =>
    withTemporaryStore(url, { blocksPerIndex: 10 }, async (temporary) => {
      await write(temporary.store, new ReaderSessions(), grownIrreversible(new SyntheticChain(), 3));
      const { names } = temporary;
      const ofRange = (['actions', 'blocks', 'bodies'] as const).map((kind) => `${names.of(kind)}-0000000100`);
      const index = [...ofRange, names.abis, names.permissions, names.progress];
      await client.indices.delete({ index });
      for (const each of [...index, names.directory(0, 0)]) {
        await expect(client.index({ index: each, document: {} })).rejects.toMatchObject({ statusCode: 404 });
        expect(await client.indices.exists({ index: each })).toBe(false);
      }
    }));

  it('can be read before they exist or have documents', async () => {
    const temporary = await TemporaryStore.open(url);
    await temporary.dispose();
    const reader = await temporary.openReader();
    const comparison = new Comparison(reader, new ModelHistory());
    await comparison.status();
    await comparison.sampledActions(5, 1);
    await comparison.block('latest');
    await comparison.transaction('0'.repeat(8));
    await reader.close();
    expect(await client.indices.get({ index: `${temporary.names.prefix}-*` })).toEqual({});
  });

  it('have their replicas from the start, also far behind the head', () =>
    withTemporaryStore(url, { blocksPerIndex: 10, replicas: 1 }, async (temporary) => {
      const head = { num: 5_000, id: 'f'.repeat(64) };
      const far = new SyntheticChain().blocks(undefined, [BUSY]).map((block) => ({ ...block, head }));
      await temporary.store.writeBlocks(new ReaderSessions().read(far));
      expect(await replicasOf(temporary)).toEqual([1]);
    }));

  it('are named in parts, however many ranges one commit has: a server refuses long request lines', () =>
    withTemporaryStore(url, { blocksPerIndex: 1 }, async (temporary) => {
      const server = await FaultyServer.start(url);
      try {
        const writer = await temporary.openWriter({ urls: [server.url] });
        const blocks = new SyntheticChain().blocks(undefined, Array<BlockPlan>(RANGES).fill(BUSY));
        await writer.writeBlocks(new ReaderSessions().read(blocks));
        expect(await temporary.store.getStatus()).toMatchObject({ committed: blocks.at(-1)?.position });
        const refreshed = server.seen
          .filter(({ path }) => path.includes('/_refresh'))
          .map(({ path }) => decodeURIComponent(path.split('/')[1] ?? '').split(',').length);
        expect(refreshed.reduce((sum, names) => sum + names, 0)).toBeGreaterThanOrEqual(3 * RANGES);
        expect(Math.max(...refreshed)).toBeLessThanOrEqual(25);
      } finally {
        await server.stop();
      }
    }));

  it('get their replicas when their range is passed or the head is near, if the configuration says so', () =>
    withTemporaryStore(url, { blocksPerIndex: 10, replicas: 1, catchUpReplicas: 0 }, async (temporary) => {
      const sessions = new ReaderSessions();
      const head = { num: 5_000, id: 'f'.repeat(64) };
      const far = new SyntheticChain().blocks(undefined, Array<BlockPlan>(15).fill(BUSY));
      await temporary.store.writeBlocks(sessions.read(far.slice(0, 5).map((block) => ({ ...block, head }))));
      await temporary.store.maintain();
      expect(await replicasOf(temporary)).toEqual([0]);
      await temporary.store.writeBlocks(sessions.read(far.slice(5, 14).map((block) => ({ ...block, head }))));
      await temporary.store.maintain();
      await eventually(async () => expect(await replicasOf(temporary)).toEqual([1, 0]));
      await temporary.store.writeBlocks(sessions.read(far.slice(14)));
      await eventually(async () => expect(await replicasOf(temporary)).toEqual([1, 1]));
    }));

  it('have the layout of an earlier version that begins the store at the same moment', async () => {
    const server = await FaultyServer.start(url);
    let creations = 0;
    const temporary = await TemporaryStore.begin(url, {}, async (unopened) => {
      server.fault = ({ path }) =>
        path.includes('/_create/progress') && creations++ === 0 ? { until: beginEarlier(unopened, client) } : 'none';
      const opening = openElasticsearchStoreWriter(unopened.optionsWith({ urls: [server.url] }));
      await expect(opening).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    });
    try {
      const blocks = new SyntheticChain().blocks(undefined, Array<BlockPlan>(3).fill(BUSY));
      await temporary.store.writeBlocks(new ReaderSessions().read(blocks));
      const [index = ''] = await namesOf(temporary, 'actions');
      const { mappings } = (await client.indices.getMapping({ index }))[index] ?? {};
      expect([creations, mappings?._source, mappings?._meta]).toEqual([1, undefined, { format_version: 1 }]);
      await new Comparison(temporary.store, ModelHistory.of(blocks)).sampledActions(10, 1);
    } finally {
      await temporary.dispose();
      await server.stop();
    }
  });

  it('require the nodes of the tier of their age, and stay readable where there is none', () =>
    withTemporaryStore(url, { blocksPerIndex: 10, tiers: ['0:hot', '12:warm', '31:cold'] }, async (temporary) => {
      const chain = new SyntheticChain();
      const sessions = new ReaderSessions();
      const blocks = grownIrreversible(chain, 45);
      const tiersAt = async (): Promise<Record<string, string | undefined>> => {
        const settings = await client.indices.getSettings({
          index: await namesOf(temporary, 'actions'),
          flat_settings: true,
        });
        const tier = 'index.routing.allocation.require.history_tier';
        const tierIn = (own: object = {}): string | undefined => (own as Record<string, string>)[tier];
        const entries = Object.entries(settings).map(
          ([name, { settings: own }]) => [name.slice(-3), tierIn(own)] as const,
        );
        return Object.fromEntries(entries);
      };
      let written = 0;
      const writeTo = async (num: number): Promise<void> => {
        await write(temporary.store, sessions, blocks.slice(written, num - 99));
        written = num - 99;
      };
      await writeTo(121);
      await eventually(async () => expect(await tiersAt()).toEqual({ '100': 'warm', '110': 'hot', '120': 'hot' }));
      await writeTo(130);
      await eventually(async () =>
        expect(await tiersAt()).toMatchObject({ '100': 'warm', '110': 'hot', '130': 'hot' }),
      );
      await writeTo(131);
      await eventually(async () =>
        expect(await tiersAt()).toMatchObject({ '100': 'warm', '110': 'warm', '120': 'hot' }),
      );
      await writeTo(144);
      await eventually(async () =>
        expect(await tiersAt()).toEqual({ '100': 'cold', '110': 'warm', '120': 'warm', '130': 'hot', '140': 'hot' }),
      );
      const comparison = new Comparison(temporary.store, ModelHistory.of(blocks, { dataFrom: 100 }));
      await comparison.sampledActions(10, 1);
    }));

  it.each([
    ['replicas', (indices: IndexProvisioner, progress: ProgressDocument) => indices.settleReplicas(progress, false)],
    ['tiers', (indices: IndexProvisioner, progress: ProgressDocument) => indices.settleTiers(progress)],
  ])('get other %s, except for one that another process deletes meanwhile', (_, settle) =>
    withTemporaryStore(url, { blocksPerIndex: 10 }, async (temporary) => {
      await write(temporary.store, new ReaderSessions(), grownIrreversible(new SyntheticChain(), 20));
      const { progress } = (await new ProgressReader(client, temporary.names).read()) ?? {};
      const server = await FaultyServer.start(url);
      const proxied = new Client({ node: server.url });
      const settings = { replicas: 1, catchUpReplicas: 1, layout: 'doc-values' } as const;
      const indices = new IndexProvisioner(proxied, temporary.names, settings, parseTiers(['0:hot']));
      const [oldest = ''] = await namesOf(temporary, 'actions');
      const deleted = (): Promise<void> => client.indices.delete({ index: oldest }).then(() => undefined);
      server.fault = ({ method, path }) => (method === 'PUT' && path.includes(oldest) ? { until: deleted() } : 'none');
      await settle(indices, progress as ProgressDocument);
      expect(await namesOf(temporary, 'actions')).toEqual([`${temporary.names.actions}-0000000110`]);
      await proxied.close();
      await server.stop();
    }),
  );

  it('are deleted when their blocks are no longer retained, and no others are', () =>
    withTemporaryStore(url, { blocksPerIndex: 10, retainBlocks: 15 }, async (temporary) => {
      const stranger = `${temporary.names.actions}-of-another`;
      await client.indices.create({ index: stranger, settings: { number_of_replicas: 0 } });
      const chain = new SyntheticChain();
      const sessions = new ReaderSessions();
      const blocks = grownIrreversible(chain, 40);
      for (let start = 0; start < 40; start += 5)
        await write(temporary.store, sessions, blocks.slice(start, start + 5));
      expect(await temporary.store.getStatus()).toMatchObject({ firstBlockNum: 120, committed: { num: 139 } });
      for (let round = 0; round < 3; round++) {
        const next = chain.block(blocks.at(-1), BUSY, blocks.at(-4)?.position);
        blocks.push(next);
        await write(temporary.store, sessions, [next]);
      }
      await eventually(async () => {
        await temporary.store.maintain();
        const left = ['0000000120', '0000000130', '0000000140'].map((first) => `${temporary.names.actions}-${first}`);
        expect(await namesOf(temporary, 'actions')).toEqual([...left, stranger]);
      });
      const model = ModelHistory.of(blocks.slice(20), { dataFrom: 100, hasRemovedBlocks: true });
      const withoutTraces = new Proxy(temporary.store, {
        get: (store, name) =>
          name === 'getAccountTraces' ? model.getAccountTraces.bind(model) : (Reflect.get(store, name) as unknown),
      });
      const comparison = new Comparison(withoutTraces, model);
      await comparison.status();
      const select = () => ({ first: 0, last: 9 });
      await expect(temporary.store.getAccountTraces({ account: 'alice', select })).rejects.toMatchObject({
        code: 'POSITIONS_NOT_STORED',
      });
      await comparison.sampledActions(20, 1);
      await comparison.block({ num: 119 });
      await comparison.block({ num: 120 });
      // A block that is no longer retained may be delivered again.
      await write(temporary.store, sessions, blocks.slice(3, 4));
      await comparison.status();
    }));

  function write(store: HistoryWriter, sessions: ReaderSessions, blocks: BlockRecords[]): Promise<unknown> {
    return store.writeBlocks(sessions.read(blocks));
  }

  /** A chain whose blocks are irreversible, except for the newest few. */
  function grownIrreversible(chain: SyntheticChain, length: number): BlockRecords[] {
    const blocks: BlockRecords[] = [];
    for (let index = 0; index < length; index++) {
      blocks.push(chain.block(blocks.at(-1), index % 2 ? BUSY : EMPTY_BLOCK, blocks.at(-3)?.position));
    }
    return blocks;
  }
});

/** Waits for work beside the writes, which is done soon. */
async function eventually(expectation: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    try {
      await expectation();
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
