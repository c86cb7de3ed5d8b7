import { Client } from '@elastic/elasticsearch';
import fc from 'fast-check';
import type { BlockRecords } from '@antelope-history/records';
import { describeWithService } from '@antelope-history/servers';
import type { ChainStatus, StoreReader, StoreWriter } from '@antelope-history/store';
import {
  blockPlan,
  type BlockPlan,
  Comparison,
  EVERY_ACTION,
  ModelHistory,
  ReaderSessions,
  SyntheticChain,
} from '@antelope-history/store/contract';
import { testSize } from '@antelope-history/test-support/random';
import { openElasticsearchStoreRepairer } from '../src/writer';
import { FaultyServer, type SeenRequest } from './faulty-server';
import { TemporaryStore } from './temporary-store';

const CHAINS = testSize({ usual: 1, long: 60 });
const SEED = 1212;
const FIRST_BLOCK = 100;
const ACCOUNTS = ['alice', 'bob', 'eosio', 'a', 'a.b', 'zzzzzzzzzzzzj'];
/** Hex digits of a transaction id, whole and cut. */
const ID_LENGTHS = [8, 15, 16, 17, 64];
const EVERYTHING = { ...EVERY_ACTION, limit: 10_000 };

interface Turn {
  plans: BlockPlan[];
  /** The newest blocks that it replaces, those that are irreversible excepted. */
  depth: number;
  /** How far below the newest kept block the last irreversible one is. */
  lag: number;
  writer: number;
  restarts: boolean;
}

const turn: fc.Arbitrary<Turn> = fc.record({
  plans: fc.array(blockPlan, { minLength: 1, maxLength: 7 }),
  depth: fc.nat(4),
  lag: fc.nat(4),
  writer: fc.nat(1),
  restarts: fc.boolean(),
});

interface Layout {
  blocksPerIndex: number;
  actionsPerIndex: number;
  /** The blocks that each of two writers keeps. */
  retain: readonly [number, number];
}

const layout: fc.Arbitrary<Layout> = fc.record({
  blocksPerIndex: fc.constantFrom(2, 3, 5),
  actionsPerIndex: fc.constantFrom(6, 1_000_000),
  retain: fc.tuple(fc.integer({ min: 1, max: 9 }), fc.constantFrom(0, 3, 12)),
});

/** A store of which two writers keep the newest blocks, and the model of everything that was written to it. */
class RetainingStore {
  readonly chain = new SyntheticChain();
  readonly whole = new ModelHistory();
  private readonly sessions = new ReaderSessions();
  private readonly made = new Map<string, BlockRecords>();
  private readonly writers = new Map<number, StoreWriter>();

  private constructor(
    readonly store: TemporaryStore,
    private readonly retain: Layout['retain'],
    /** It was opened before the first block was written. */
    readonly reader: StoreReader,
  ) {}

  static async open(url: string, { retain, ...options }: Layout): Promise<RetainingStore> {
    const store = await TemporaryStore.open(url, options);
    return new RetainingStore(store, retain, await store.openReader());
  }

  /** Writes a turn, while queries read the store. */
  async write({ plans, depth, lag, writer: number, restarts }: Turn): Promise<void> {
    const { committedBlocks: committed, irreversibleNum } = this.whole;
    const irreversible = committed.filter(({ position }) => position.num <= irreversibleNum).length;
    const kept = Math.max(committed.length - depth, irreversible);
    const last = committed[Math.max(kept - 1 - lag, irreversible - 1)]?.position;
    const blocks = this.chain.blocks(committed[kept - 1], plans, last);
    for (const block of blocks) this.made.set(block.position.id, block);
    const writer = await this.writerOf(number, restarts);
    const ended = writer.writeBlocks(this.sessions.read(blocks)).then(() => true);
    while (!(await Promise.race([ended, this.readWhole().then(() => false)])));
    await this.whole.writeBlocks(blocks);
  }

  /** Sends some blocks again, as a reader does that begins anew. */
  async writeAgain(blocks: readonly BlockRecords[]): Promise<void> {
    this.sessions.begin();
    for (const writer of this.writers.values()) await writer.writeBlocks(this.sessions.read(blocks));
  }

  /** Whether the index of a block was deleted. */
  async hasDropped(blockNum: number): Promise<boolean> {
    const client = new Client({ node: this.store.url });
    const index = this.store.names.ranged('blocks', blockNum, { blocks_per_index: 1 });
    const exists = this.whole.committedBlocks.length === 0 || (await client.indices.exists({ index }));
    await client.close();
    return !exists;
  }

  /** What a model has to have that begins with a block. */
  retained(first: number, blocks = this.whole.committedBlocks): ModelHistory {
    const began = blocks[0]?.position.num ?? 0;
    const kept = blocks.filter(({ position }) => position.num >= first);
    const model = ModelHistory.of(kept, { dataFrom: began, hasRemovedBlocks: first > began });
    // ABIs of removed blocks stay.
    const whole = ModelHistory.of(blocks);
    model.dataOf = (row) => whole.dataOf(row);
    return model;
  }

  private async writerOf(number: number, restarts: boolean): Promise<StoreWriter> {
    const open = this.writers.get(number);
    if (open && !restarts) return open;
    await open?.close();
    const writer = await this.store.openWriter({ retainBlocks: this.retain[number] ?? 0 });
    this.writers.set(number, writer);
    return writer;
  }

  /** Reads every action, and compares them with the state that the result names. */
  private async readWhole(): Promise<void> {
    const { status, rows, more } = await this.reader.getActions(EVERYTHING);
    const expected = await this.retained(status.firstBlockNum ?? 0, this.chainOf(status)).getActions(EVERYTHING);
    expect({ rows, more }).toEqual({ rows: expected.rows, more: expected.more });
  }

  private chainOf({ committed }: ChainStatus): BlockRecords[] {
    const blocks: BlockRecords[] = [];
    for (let at = this.made.get(committed?.id ?? ''); at; at = this.made.get(at.previous?.id ?? '')) blocks.unshift(at);
    return blocks;
  }
}

/** Compares every kind of query with the model; returns the first block of the history. */
async function compare(retaining: RetainingStore, reader: StoreReader): Promise<number> {
  const { firstBlockNum: first = 0, hasRemovedBlocks } = await reader.getStatus();
  const { whole } = retaining;
  const model = retaining.retained(first);
  const comparison = new Comparison(hasRemovedBlocks ? withoutTraces(reader, model) : reader, model);
  await comparison.status();
  await comparison.everyDataValue();
  await comparison.childrenByData();
  await comparison.sampledActions(25, SEED);
  for (const [index, { position, transactions }] of whole.committedBlocks.entries()) {
    await comparison.block({ num: position.num });
    await comparison.block({ id: position.id });
    for (const { id } of transactions) {
      await comparison.transaction(id.toString('hex'), position.num);
      await comparison.transaction(id.toString('hex').slice(0, ID_LENGTHS[index % ID_LENGTHS.length]));
    }
    const sequence = transactions[0]?.firstSequence;
    if (sequence !== undefined) await comparison.actions({ ...EVERYTHING, parent: { sequence } });
  }
  for (const account of ACCOUNTS) {
    const traces = reader.getAccountTraces({ account, select: () => ({ first: 0, last: 9 }) });
    if (hasRemovedBlocks) await expect(traces).rejects.toMatchObject({ code: 'POSITIONS_NOT_STORED' });
    else await comparison.tracesOf(account, { skip: 3, limit: 1_000, window: 'skip' });
    for (const order of ['asc', 'desc'] as const)
      await comparison.actions({ ...EVERYTHING, account, order, skip: 7, limit: 30 });
    await comparison.actions({ ...EVERYTHING, account, window: 'newest', limit: 9 });
  }
  // The state is that of the whole chain.
  const state = new Comparison(withStatusOf(reader, whole), whole);
  await state.permissionsOf(whole.committedBlocks);
  await state.abisOf(model.committedBlocks);
  return first;
}

const PAID: BlockPlan = {
  transactions: [[{ account: 'alice', name: 'a', actor: 'bob', notified: [], creatorDistance: 0, dataBytes: 9 }]],
  abis: [],
  permissions: [],
};
const turnOf = (blocks: number, writer: number): Turn => ({
  plans: Array<BlockPlan>(blocks).fill(PAID),
  depth: 0,
  lag: 0,
  writer,
  restarts: false,
});

describeWithService(['elasticsearch'], (url = '') => {
  describe('a shared store that keeps its newest blocks', () => {
    it('ignores removed blocks that are sent again, also to a writer that keeps all', async () => {
      const retaining = await RetainingStore.open(url, { blocksPerIndex: 2, actionsPerIndex: 1_000, retain: [3, 0] });
      try {
        while (!(await retaining.hasDropped(FIRST_BLOCK))) await retaining.write(turnOf(5, 0));
        await retaining.write(turnOf(1, 1));
        await retaining.writeAgain(retaining.whole.committedBlocks.slice(0, 2));
        await compare(retaining, retaining.reader);
      } finally {
        await retaining.store.dispose();
      }
    });

    it('does without blocks that a suspended writer still holds, and says of no index that it is lost', async () => {
      const server = await FaultyServer.start(url);
      const store = await TemporaryStore.open(url, { blocksPerIndex: 10, retainBlocks: 3 });
      try {
        const late = await store.openWriter({ urls: [server.url] });
        const sessions = new ReaderSessions();
        const chain = new SyntheticChain();
        const first = chain.blocks(undefined, Array<BlockPlan>(3).fill(PAID));
        await store.store.writeBlocks(sessions.read(first));
        const next = chain.block(first[2], PAID);
        const held = sessions.read([next]);
        sessions.begin();
        const { arrived, resume } = server.suspend(({ path }) => path.includes('-actions-0000000100/_settings'));
        const writing = late.writeBlocks(held);
        await arrived;
        await store.store.writeBlocks(sessions.read([next]));
        await writeUntilRemoved(store, chain, sessions, next);
        resume();
        await writing;
        expect((await store.store.getStatus()).firstBlockNum).toBeGreaterThan(109);
      } finally {
        await store.dispose();
        await server.stop();
      }
    });

    it('opens a writer while another process deletes indices', async () => {
      const server = await FaultyServer.start(url);
      const store = await TemporaryStore.open(url);
      try {
        let attempts = 0;
        const isMapping = ({ method, path }: SeenRequest): boolean => method === 'PUT' && path.includes('/_mapping');
        server.fault = (seen) => (isMapping(seen) && ++attempts === 1 ? { status: 404 } : 'none');
        const writer = await store.openWriter({ urls: [server.url] });
        expect(attempts).toBe(2);
        await writer.close();
        server.fault = (seen) => (isMapping(seen) ? { status: 404 } : 'none');
        await expect(store.openWriter({ urls: [server.url] })).rejects.toThrow('status 404');
      } finally {
        await store.dispose();
        await server.stop();
      }
    });

    it('does not get blocks back that a suspended repair replaces', async () => {
      const server = await FaultyServer.start(url);
      const store = await TemporaryStore.open(url, { blocksPerIndex: 10, retainBlocks: 3 });
      try {
        const sessions = new ReaderSessions();
        const chain = new SyntheticChain();
        const blocks = chain.blocks(undefined, [PAID]);
        const last = chain.block(blocks[0], PAID, blocks[0]?.position);
        await store.store.writeBlocks(sessions.read([...blocks, last]));
        const repairer = await openElasticsearchStoreRepairer(store.optionsWith({ urls: [server.url] }));
        const { arrived, resume } = server.suspend(({ path }) => path.startsWith('/_bulk'));
        const repairing = repairer.repairBlocks(blocks);
        await arrived;
        await writeUntilRemoved(store, chain, sessions, last);
        // No process deletes what comes back.
        await store.store.close();
        resume();
        await repairing;
        await repairer.close();
        const client = new Client({ node: url });
        const index = store.names.ranged('actions', FIRST_BLOCK, { blocks_per_index: 10 });
        expect(await client.indices.exists({ index })).toBe(false);
        await client.close();
      } finally {
        await store.dispose();
        await server.stop();
      }
    });

    it('has these blocks as if it had begun with them, and the whole state, whatever is written, undone or restarted', async () => {
      let removed = 0;
      const chains = fc.tuple(layout, fc.array(turn, { minLength: 5, maxLength: 9 }));
      for (const [how, turns] of fc.sample(chains, { numRuns: CHAINS, seed: SEED })) {
        const retaining = await RetainingStore.open(url, how);
        try {
          let before = 0;
          for (const [index, each] of turns.entries()) {
            await retaining.write(each);
            const first = await compare(retaining, retaining.reader);
            const { committedBlocks: blocks, irreversibleNum } = retaining.whole;
            expect(first).toBeGreaterThanOrEqual(before);
            expect(first).toBeLessThanOrEqual(Math.max(blocks[0]?.position.num ?? 0, irreversibleNum));
            if (index % 3 === 2) await compare(retaining, await retaining.store.openReader());
            if (index % 4 === 3) await retaining.writeAgain(blocks.slice(0, 3));
            before = first;
          }
          await retaining.store.settled();
          await compare(retaining, await retaining.store.openReader());
          removed += before - FIRST_BLOCK;
        } finally {
          await retaining.store.dispose();
        }
      }
      expect(removed).toBeGreaterThan(CHAINS * 3);
    }, 600_000);
  });
});

/** Writes blocks until the indices of the first range are deleted. */
async function writeUntilRemoved(
  { store, names, url }: TemporaryStore,
  chain: SyntheticChain,
  sessions: ReaderSessions,
  parent: BlockRecords,
): Promise<void> {
  const client = new Client({ node: url });
  const index = names.ranged('blocks', FIRST_BLOCK, { blocks_per_index: 10 });
  for (let last = parent; await client.indices.exists({ index });) {
    const next = chain.blocks(last, Array<BlockPlan>(6).fill(PAID), last.position);
    await store.writeBlocks(sessions.read(next));
    await store.maintain();
    last = next.at(-1) as BlockRecords;
  }
  await client.close();
}

/** Comparisons of actions only: positions of traces are not stored any more. */
function withoutTraces(reader: StoreReader, model: ModelHistory): StoreReader {
  return replacing(reader, { getAccountTraces: model.getAccountTraces.bind(model) });
}

/** A reader whose results have the status of another store. */
function withStatusOf(reader: StoreReader, model: ModelHistory): StoreReader {
  const wrapped = (name: 'hasAccount' | 'getKeyAccounts' | 'getControlledAccounts') => {
    const ask = reader[name].bind(reader) as (...parts: unknown[]) => Promise<object>;
    return async (...parts: unknown[]) => ({ ...(await ask(...parts)), status: await model.getStatus() });
  };
  return replacing(reader, {
    hasAccount: wrapped('hasAccount') as StoreReader['hasAccount'],
    getKeyAccounts: wrapped('getKeyAccounts') as StoreReader['getKeyAccounts'],
    getControlledAccounts: wrapped('getControlledAccounts') as StoreReader['getControlledAccounts'],
  });
}

function replacing(reader: StoreReader, others: Partial<StoreReader>): StoreReader {
  return new Proxy(reader, {
    get: (target, name) => {
      const value: unknown = Reflect.get(name in others ? others : target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
