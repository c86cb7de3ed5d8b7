import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@elastic/elasticsearch';
import type { BlockRecords } from '@antelope-history/records';
import { describeWithService } from '@antelope-history/servers';
import type { HistoryReader } from '@antelope-history/store';
import { type BlockPlan, EVERY_ACTION, ModelHistory, SimulatedReader } from '@antelope-history/store/contract';
import { ProgressReader } from '../src/indices/progress';
import { openElasticsearchStoreReader } from '../src/reader';
import { openElasticsearchStoreRepairer } from '../src/writer';
import { FaultyServer, type SeenRequest } from './faulty-server';
import { TemporaryStore } from './temporary-store';

jest.setTimeout(240_000);

const PING = { account: 'hot', name: 'ping', actor: 'hot', notified: ['cold'], creatorDistance: 0, dataBytes: 50 };
const BUSY: BlockPlan = {
  transactions: [
    [PING, { ...PING, name: 'pong', notified: [], creatorDistance: 1 }],
    [PING, PING],
  ],
  abis: [{ account: 'hot', abi: Buffer.from('an ABI') }],
  permissions: [{ owner: 'hot', name: 'active', authority: { keys: [Buffer.alloc(34, 2)], actors: ['cold'] } }],
};

/** A query of each kind, as functions of a reader; the first argument is a block of the chain. */
type Ask = (reader: HistoryReader, block: BlockRecords) => Promise<object>;
const QUERIES: [string, Ask][] = [
  ['a page', (reader) => reader.getActions({ ...EVERY_ACTION, account: 'cold', order: 'desc', limit: 30 })],
  ['a deep page', (reader) => reader.getActions({ ...EVERY_ACTION, account: 'hot', skip: 60, limit: 30 })],
  [
    'the newest rows',
    (reader) => reader.getActions({ ...EVERY_ACTION, account: 'hot', order: 'asc', window: 'newest', limit: 50 }),
  ],
  [
    'bounded rows',
    (reader, { position }) =>
      reader.getActions({ ...EVERY_ACTION, account: 'hot', after: { blockNum: position.num - 20 } }),
  ],
  [
    'children',
    (reader, { transactions }) =>
      reader.getActions({ ...EVERY_ACTION, parent: { sequence: transactions[0]?.firstSequence ?? 0 } }),
  ],
  [
    'positions',
    (reader) => reader.getAccountTraces({ account: 'hot', select: (count) => ({ first: count - 90, last: count }) }),
  ],
  ['a block with traces', (reader, { position }) => reader.getBlockTraces({ num: position.num })],
  ['the latest block', (reader) => reader.getBlockTraces('latest')],
  [
    'a transaction',
    (reader, { transactions }) => reader.getTransaction(transactions[1]?.id.toString('hex') ?? '', undefined),
  ],
  ['a key', (reader) => reader.getKeyAccounts(Buffer.alloc(34, 2))],
];

describeWithService(['elasticsearch'], (url = '') => {
  describe('queries while forks are undone', () => {
    it.each([128, 12])('show one branch each, with %i blocks per index', async (blocksPerIndex) => {
      const server = await FaultyServer.start(url);
      const store = await TemporaryStore.open(url, { blocksPerIndex });
      const writer = await store.openWriter();
      const slow = await openElasticsearchStoreReader(store.optionsWith({ urls: [server.url] }));
      const reader = new SimulatedReader();
      const models: ModelHistory[] = [];
      const write = async (): Promise<void> => {
        await writer.writeBlocks(reader.read(Infinity));
        models.push(ModelHistory.of(reader.chain));
      };
      reader.grow(Array<BlockPlan>(40).fill(BUSY));
      reader.makeIrreversible(15);
      await write();
      let turn = 0;
      for (const [name, ask] of QUERIES) {
        // The fork comes before the n-th search of the query, then with another n.
        for (const at of [1, 2, 3]) {
          if (turn++ % 3 === 2) {
            reader.makeIrreversible(8);
            reader.grow(Array<BlockPlan>(3).fill(BUSY));
            await write();
          }
          const block = reader.chain.at(-4) as BlockRecords;
          models.splice(0, models.length - 1);
          let searches = 0;
          let forking: Promise<void> | undefined;
          server.fault = (seen) => {
            if (!isOfQuery(seen) || ++searches !== at) return 'none';
            reader.fork(6, Array<BlockPlan>(7).fill(BUSY));
            return { until: (forking = write()) };
          };
          const found = await ask(slow, block);
          server.fault = () => 'none';
          // The request that waits may be one of a try that the query has given up, so that the result comes before the fork is written.
          await forking;
          const expected = await Promise.all(models.map((model) => ask(model, block)));
          const answers = expected.map((each) => plain(each));
          expect([name, at, answers]).toEqual([name, at, expect.arrayContaining([plain(found)])]);
        }
      }
      await slow.close();
      await store.dispose();
      await server.stop();
    });
  });

  it.each(['deleted', 'closed'])('a query says so when an index was %s, and is never of a part', async (what) => {
    const store = await TemporaryStore.open(url, { blocksPerIndex: 20 });
    const client = new Client({ node: url });
    const reader = new SimulatedReader();
    reader.grow(Array<BlockPlan>(45).fill(BUSY));
    await store.store.writeBlocks(reader.read(Infinity));
    const index = `${store.names.actions}-0000000120`;
    if (what === 'deleted') await client.indices.delete({ index });
    else await client.indices.close({ index });
    const model = ModelHistory.of(reader.chain);
    for (const [name, ask] of QUERIES) {
      const block = reader.chain[25] as BlockRecords;
      const found = await ask(store.store, block).catch((error: unknown) => error);
      if (found instanceof Error)
        expect([name, found]).toEqual([name, expect.objectContaining({ code: 'STORE_UNAVAILABLE' })]);
      else expect([name, plain(found as object)]).toEqual([name, plain(await ask(model, block))]);
    }
    await client.close();
    await store.dispose();
  });

  it.each(['actions', 'blocks', 'bodies'] as const)(
    'a query is never of a part of a range whose %s are being restored, however many repairs it takes',
    async (kind) => {
      const store = await TemporaryStore.open(url, { blocksPerIndex: 20 });
      const client = new Client({ node: url });
      const reader = new SimulatedReader();
      reader.grow(Array<BlockPlan>(45).fill(BUSY));
      reader.makeIrreversible(2);
      reader.grow([BUSY]);
      await store.store.writeBlocks(reader.read(Infinity));
      await client.indices.delete({ index: `${store.names[kind]}-0000000120` });
      const model = ModelHistory.of(reader.chain);
      const expectWhole = async (mayBeRefused: boolean): Promise<void> => {
        const refused = { name: 'HistoryError', code: 'STORE_UNAVAILABLE' };
        for (const [name, ask] of QUERIES) {
          const block = reader.chain[25] as BlockRecords;
          const found = await ask(store.store, block).catch((error: unknown) => error);
          if (mayBeRefused && found instanceof Error)
            expect([name, found]).toEqual([name, expect.objectContaining(refused)]);
          else expect([name, plain(found as object)]).toEqual([name, plain(await ask(model, block))]);
        }
      };
      for (const [first, last] of [
        [120, 125],
        [126, 129],
        [130, 139],
      ] as const) {
        await expectWhole(true);
        const repairer = await openElasticsearchStoreRepairer(store.optionsWith({}), 0);
        const blocks = reader.chain.filter(({ position: { num } }) => num >= first && num <= last);
        await repairer.repairBlocks(blocks).finally(() => repairer.close());
      }
      await expectWhole(false);
      await client.close();
      await store.dispose();
    },
  );

  it('a query that began before a lost index was made anew is never of a part, however long it takes', async () => {
    const store = await TemporaryStore.open(url, { blocksPerIndex: 20 });
    const client = new Client({ node: url });
    const server = await FaultyServer.start(url);
    const reader = new SimulatedReader();
    reader.grow(Array<BlockPlan>(45).fill(BUSY));
    reader.makeIrreversible(2);
    reader.grow([BUSY]);
    await store.store.writeBlocks(reader.read(Infinity));
    const index = `${store.names.actions}-0000000120`;
    await client.indices.delete({ index });
    const slow = await openElasticsearchStoreReader(store.optionsWith({ urls: [server.url] }));
    const { arrived, resume } = server.suspend(({ path }) => path.includes('_msearch'));
    const found = slow.getActions({ ...EVERY_ACTION, account: 'cold', limit: 1_000 }).catch((error: unknown) => error);
    await arrived;
    const repairer = await openElasticsearchStoreRepairer(store.optionsWith({}));
    await repairer.repairBlocks(reader.chain.slice(20, 23)).finally(() => repairer.close());
    expect(await client.indices.exists({ index })).toBe(true);
    resume();
    expect(await found).toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await slow.close();
    await server.stop();
    await client.close();
    await store.dispose();
  });

  describe('while blocks are restored or rewritten', () => {
    /** The row is not in the newest range of the directory, which a query searches without it. */
    const RARE: BlockPlan = { ...BUSY, transactions: [[{ ...PING, account: 'rare' }], ...BUSY.transactions] };
    const ofRare = (reader: HistoryReader) => reader.getActions({ ...EVERY_ACTION, account: 'rare', order: 'desc' });
    let store: TemporaryStore;
    let client: Client;
    let reader: SimulatedReader;
    beforeEach(async () => {
      store = await TemporaryStore.open(url, { blocksPerIndex: 20 });
      client = new Client({ node: url });
      reader = new SimulatedReader();
      reader.grow([...Array<BlockPlan>(10).fill(BUSY), RARE, ...Array<BlockPlan>(34).fill(BUSY)]);
      reader.makeIrreversible(0);
      await build();
    });
    afterEach(async () => {
      await client.close();
      await store.dispose();
    });

    /** Commits blocks, each of which lets the writer add ranges to the directory. */
    async function grow(): Promise<void> {
      for (let blocks = 0; blocks < 6; blocks++) {
        reader.grow([BUSY]);
        await store.store.writeBlocks(reader.read(Infinity));
        await sleep(50);
      }
    }

    async function isBuilt(): Promise<boolean> {
      const { progress } = (await new ProgressReader(client, store.names).read()) ?? {};
      const { directory, rewrites = 0 } = progress ?? {};
      return directory?.rewrites === rewrites && directory.to >= 140;
    }

    /** Waits for a directory, which a test expects not to be made, for a time in which it would be. */
    async function mayBuild(): Promise<void> {
      for (let turns = 0; turns < 4 && !(await isBuilt()); turns++) await grow();
    }

    async function build(): Promise<void> {
      while (!(await isBuilt())) await grow();
    }

    it('the directory gets no range of which a repair has yet to restore blocks', async () => {
      await client.indices.delete({ index: `${store.names.actions}-0000000100` });
      const repairer = await openElasticsearchStoreRepairer(store.optionsWith({}), 0);
      await repairer.repairBlocks(reader.chain.slice(0, 5)).finally(() => repairer.close());
      await mayBuild();
      await expect(ofRare(await store.openReader())).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    });

    it('no block contradicts another one that is yet to be restored', async () => {
      await client.indices.delete({ index: `${store.names.blocks}-0000000100` });
      const repairer = await openElasticsearchStoreRepairer(store.optionsWith({}), 0);
      await repairer.repairBlocks(reader.chain.slice(0, 5)).finally(() => repairer.close());
      reader.restart([]);
      reader.grow([BUSY]);
      const { committed } = await store.store.writeBlocks(reader.read(Infinity));
      expect(committed).toEqual(reader.chain.at(-1)?.position);
    });

    it.each([
      ['when it is killed', false],
      ['when another one ends its rewrite and it is killed then', true],
    ])('the directory gets nothing of blocks that a repair is rewriting, also %s', async (_, isEnded) => {
      const block = reader.chain[10] as BlockRecords;
      const index = `${store.names.actions}-0000000100`;
      const { hits } = await client.search({ index, query: { term: { contract: 'rare' } } });
      await client.delete({ index, id: hits.hits[0]?._id ?? '', refresh: true });
      const server = await FaultyServer.start(url);
      const repairer = await openElasticsearchStoreRepairer(store.optionsWith({ urls: [server.url] }));
      const isBulk = ({ path }: SeenRequest) => path.startsWith('/_bulk');
      const isOfProgress = ({ method, path }: SeenRequest) => method === 'PUT' && path.includes('/_doc/progress');
      let { arrived, resume } = server.suspend(isBulk);
      const repairing = repairer.repairBlocks([block]);
      await arrived;
      if (isEnded) {
        await (await openElasticsearchStoreRepairer(store.optionsWith({}))).close();
        // Its documents are rejected, and it begins another one.
        const goOn = resume;
        let hasBegun = false;
        ({ arrived, resume } = server.suspend((seen) => (hasBegun ||= isOfProgress(seen)) && isBulk(seen)));
        goOn();
        await Promise.race([arrived, repairing]);
      }
      await mayBuild();
      server.fault = (seen) => (isOfProgress(seen) ? { status: 403 } : 'none');
      resume();
      await expect(repairing).rejects.toMatchObject({ code: 'ACCESS_REFUSED' });
      await repairer.close();
      await server.stop();
      const expectRow = async (): Promise<void> => {
        expect((await ofRare(await store.openReader())).rows.map(({ blockNum }) => blockNum)).toEqual([110]);
      };
      await expectRow();
      await (await openElasticsearchStoreRepairer(store.optionsWith({}))).close();
      await build();
      await expectRow();
    });
  });

  it.each([
    ['grows', 0],
    ['forks', 3],
  ])('a range whose index was deleted is not continued without its blocks when the chain %s', async (_, depth) => {
    const store = await TemporaryStore.open(url, { blocksPerIndex: 20 });
    const client = new Client({ node: url });
    const reader = new SimulatedReader();
    reader.grow(Array<BlockPlan>(37).fill(BUSY));
    await store.store.writeBlocks(reader.read(Infinity));
    await client.indices.delete({ index: `${store.names.actions}-0000000120` });
    const before = ModelHistory.of(reader.chain);
    reader.fork(depth, [BUSY, BUSY, BUSY, BUSY]);
    await expect(store.store.writeBlocks(reader.read(Infinity))).rejects.toMatchObject({ code: 'STORE_REFUSED' });
    const model = ModelHistory.of(reader.chain);
    for (const [name, ask] of QUERIES) {
      const block = reader.chain[25] as BlockRecords;
      const found = await ask(store.store, block).catch((error: unknown) => error);
      if (found instanceof Error) {
        expect([name, found]).toEqual([name, expect.objectContaining({ name: 'HistoryError' })]);
        continue;
      }
      const answers = (await Promise.all([before, model].map((each) => ask(each, block)))).map(plain);
      expect([name, answers]).toEqual([name, expect.arrayContaining([plain(found as object)])]);
    }
    await client.close();
    await store.dispose();
  });
});

describeWithService(['elasticsearch'], (url = '') => {
  it('a writer waits for an index that an operator has closed', async () => {
    const store = await TemporaryStore.open(url);
    const client = new Client({ node: url });
    const reader = new SimulatedReader();
    reader.grow([BUSY, BUSY]);
    await store.store.writeBlocks(reader.read(Infinity));
    const index = `${store.names.actions}-0000000000`;
    await client.indices.close({ index });
    reader.grow([BUSY, BUSY]);
    const writing = store.store.writeBlocks(reader.read(Infinity));
    await sleep(300);
    await client.indices.open({ index });
    expect((await writing).committed).toEqual(reader.chain.at(-1)?.position);
    await client.close();
    await store.dispose();
  });

  it.each(['abis', 'permissions'] as const)(
    'a writer neither begins nor goes on without the %s of committed blocks',
    async (kind) => {
      const store = await TemporaryStore.open(url);
      const client = new Client({ node: url });
      const reader = new SimulatedReader();
      reader.grow([BUSY, BUSY]);
      await store.store.writeBlocks(reader.read(Infinity));
      await client.indices.delete({ index: store.names[kind] });
      const lost = { code: 'STORE_REFUSED', message: expect.stringContaining(store.names[kind]) as string };
      await expect(store.openWriter()).rejects.toMatchObject(lost);
      reader.grow([BUSY]);
      await expect(store.store.writeBlocks(reader.read(Infinity))).rejects.toMatchObject(lost);
      expect(await client.indices.exists({ index: store.names[kind] })).toBe(false);
      await client.close();
      await store.dispose();
    },
  );

  it('a directory whose index was deleted is built again', async () => {
    const store = await TemporaryStore.open(url, { blocksPerIndex: 10 });
    const client = new Client({ node: url });
    const reader = new SimulatedReader();
    const pattern = `${store.names.of('directory')}-*`;
    // A range is added after a later commit when it conflicts with the next one.
    const build = async (): Promise<string[]> => {
      for (let turn = 0; ; turn++) {
        reader.grow(Array<BlockPlan>(10).fill(BUSY));
        reader.makeIrreversible(2);
        await store.store.writeBlocks(reader.read(Infinity));
        const indices = Object.keys(await client.indices.get({ index: pattern }));
        if (turn >= 3 && indices.length > 0) return indices;
      }
    };
    await client.indices.delete({ index: await build() });
    await build();
    const model = ModelHistory.of(reader.chain);
    const fresh = await store.openReader();
    for (const [name, ask] of QUERIES) {
      const block = reader.chain[12] as BlockRecords;
      expect([name, plain(await ask(fresh, block))]).toEqual([name, plain(await ask(model, block))]);
    }
    await client.close();
    await store.dispose();
  });
});

/** Without what differs between the stores. */
function plain(answer: object): unknown {
  const { status, ...rest } = answer as { status?: { committed?: object } };
  return JSON.parse(
    JSON.stringify([status?.committed, rest], (_, value: unknown) =>
      typeof value === 'bigint' ? value.toString() : value,
    ),
  );
}

function isOfQuery({ path }: SeenRequest): boolean {
  return path.includes('_msearch') || path.includes('_doc/progress');
}
