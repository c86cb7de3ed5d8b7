import { Client } from '@elastic/elasticsearch';
import { describeWithService } from '@antelope-history/servers';
import type { BlockRecords } from '@antelope-history/records';
import type { ActionsQuery, StoreReader } from '@antelope-history/store';
import { type BlockPlan, EVERY_ACTION, ReaderSessions, SyntheticChain } from '@antelope-history/store/contract';
import { openElasticsearchStoreReader } from '../src/reader';
import { FaultyServer } from './faulty-server';
import { IndexedBlocks } from './indexed-blocks';
import { type CallTrips, RoundTrips } from './round-trips';
import { TemporaryStore } from './temporary-store';

const NEWEST: ActionsQuery = { ...EVERY_ACTION, account: 'game', order: 'desc', limit: 20 };
const MAX_BYTES = 1_000_000;
/** A query begins with a state that is at most this old: `BEGIN_WITHIN_MS` of the reader. */
const HELD_MS = 250;
const TRIES = 50;

describeWithService(['elasticsearch'], (url = '') => {
  describe('queries in quick succession', () => {
    let indexed: IndexedBlocks;
    let blocks: BlockRecords[];
    let trips: RoundTrips;

    beforeAll(async () => {
      blocks = new SyntheticChain().blocks(undefined, Array<BlockPlan>(6).fill(PLAN));
      indexed = await IndexedBlocks.open(url);
      await indexed.put(blocks);
      await commit(4);
      trips = new RoundTrips(indexed.client);
    });
    afterAll(() => indexed.dispose());

    const commit = (count: number): Promise<void> => indexed.commit({ blocks: blocks.slice(0, count), cleanUpTo: 0 });
    /** The state that the next query begins with. */
    const hold = (): Promise<unknown> => indexed.reader.getStatus();

    /** The trips of a query that begins with a held state. A try in which the state may have expired before does not count. */
    async function heldTrips(query: () => Promise<unknown>): Promise<CallTrips> {
      for (let tries = 0; tries < TRIES; tries++) {
        const heldAt = performance.now();
        await hold();
        const taken = trips.of(query);
        if (performance.now() - heldAt < HELD_MS) return taken;
        await taken;
      }
      throw new Error(`no query began within ${HELD_MS} ms`);
    }

    it('show what was committed just before, also if an earlier state was held', async () => {
      await commit(4);
      await hold();
      await commit(5);
      const { rows, status } = await indexed.reader.getActions(NEWEST);
      expect([status.committed, rows[0]?.blockId]).toEqual([blocks[4]?.position, blocks[4]?.position.id]);
      // A fork that takes the block back.
      await commit(4);
      expect((await indexed.reader.getActions(NEWEST)).rows[0]?.blockId).toBe(blocks[3]?.position.id);
    });

    it('take one round trip, and two when the state has changed', async () => {
      await commit(4);
      expect(await heldTrips(() => indexed.reader.getActions(NEWEST))).toMatchObject({ depth: 1, requests: 2 });
      await commit(5);
      expect((await trips.of(() => indexed.reader.getActions(NEWEST))).depth).toBe(2);
      const id = blocks[1]?.transactions[0]?.id.toString('hex') ?? '';
      expect((await heldTrips(() => indexed.reader.getTransaction(id))).depth).toBe(2);
    });

    it('request known ABI versions once', async () => {
      await commit(4);
      await hold();
      const ask = (blockNum: number, isKnown: boolean) =>
        indexed.reader.getAbis([{ account: 'game', blockNum, sequence: 1e15 }], () => isKnown, MAX_BYTES);
      const { versions } = await ask(blocks[3]?.position.num ?? 0, false);
      expect(versions[0]?.bytes?.toString()).toBe('abi');
      expect((await heldTrips(() => ask(blocks[2]?.position.num ?? 0, true))).requests).toBe(0);
    });
  });

  describe('a reader while the indices are deleted and made again', () => {
    const chain = new SyntheticChain();
    let temporary: TemporaryStore;
    let client: Client;
    beforeEach(async () => {
      temporary = await TemporaryStore.open(url);
      client = new Client({ node: url });
      await write('before', 5);
    });
    afterEach(async () => {
      await client.close();
      await temporary.dispose();
    });

    /** Indexes a chain whose contract has one ABI, block by block. */
    async function write(abi: string, count: number): Promise<void> {
      const writer = await temporary.openWriter();
      const sessions = new ReaderSessions();
      sessions.begin();
      const first = { ...PLAN, abis: [{ account: 'game', abi: Buffer.from(abi) }] };
      const blocks = chain.blocks(undefined, [first, ...Array<BlockPlan>(count).fill({ ...PLAN, abis: [] })]);
      for (const block of sessions.read(blocks)) await writer.writeBlocks([block]);
      await writer.close();
    }

    /** The progress of the new indices passes the version of the one before. */
    async function makeAgain(): Promise<void> {
      await temporary.store.close();
      const indices = Object.keys(await client.indices.get({ index: `${temporary.names.prefix}-*` }));
      await client.indices.delete({ index: indices });
      await write('after', 20);
    }

    async function readAbi(reader: StoreReader): Promise<string | undefined> {
      const request = { account: 'game', blockNum: 1e6, sequence: 1e15 };
      const { versions } = await reader.getAbis([request], () => false, MAX_BYTES);
      return versions[0]?.bytes?.toString();
    }

    it('forgets the ABIs of the store before', async () => {
      const reader = await temporary.openReader();
      expect(await readAbi(reader)).toBe('before');
      await makeAgain();
      expect(await readAbi(reader)).toBe('after');
    });

    it('does not learn them from a query that began before', async () => {
      const proxy = await FaultyServer.start(url);
      const reader = await openElasticsearchStoreReader({ ...temporary.optionsWith({}), urls: [proxy.url] });
      let respond: () => void = () => undefined;
      const respondsAfter = new Promise<void>((resolve) => (respond = resolve));
      const begun = new Promise<void>((resolve) => {
        proxy.fault = ({ path }) => {
          if (!path.includes('_search') && !path.includes('_msearch')) return 'none';
          proxy.fault = () => 'none';
          resolve();
          return { respondsAfter };
        };
      });
      try {
        const late = readAbi(reader).catch((error: unknown) => error);
        await begun;
        await makeAgain();
        await reader.getStatus();
        respond();
        await late;
        expect(await readAbi(reader)).toBe('after');
      } finally {
        await reader.close();
        await proxy.stop();
      }
    });
  });
});

const PLAN: BlockPlan = {
  transactions: [[{ account: 'game', name: 'play', actor: 'game', notified: [], creatorDistance: 0, dataBytes: 8 }]],
  abis: [{ account: 'game', abi: Buffer.from('abi') }],
  permissions: [],
};
