import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@elastic/elasticsearch';
import type { BlockRecords } from '@antelope-history/records';
import { describeWithService } from '@antelope-history/servers';
import {
  ABIS,
  type BlockPlan,
  Comparison,
  DATA,
  EVERY_ACTION,
  ModelHistory,
  SimulatedReader,
} from '@antelope-history/store/contract';
import { ProgressReader } from '../src/indices/progress';
import { openElasticsearchStoreRepairer } from '../src/writer';
import { TemporaryStore } from './temporary-store';

jest.setTimeout(60_000);

const TRANSFER = { account: 'alice', name: 'transfer', actor: 'bob', notified: [], creatorDistance: 0, dataBytes: 0 };
const PAID: BlockPlan = { transactions: [[{ ...TRANSFER, data: DATA[1] }]], abis: [], permissions: [] };
const AUTHORITY = { keys: [Buffer.alloc(34, 1)], actors: ['carol'] };
const OWNERS = ['eosio', 'eosio.null', 'eosio.prods', 'alice'];

describeWithService(['elasticsearch'], (url = '') => {
  it('a repair keeps the state of a snapshot that the node of the repair does not send', async () => {
    const store = await TemporaryStore.open(url);
    const reader = new SimulatedReader();
    const permissions = OWNERS.map((owner) => ({ owner, name: 'owner', authority: AUTHORITY }));
    reader.grow([{ ...PAID, permissions, abis: [{ account: 'alice', abi: ABIS[0] as Buffer }] }, PAID, PAID]);
    const last = reader.chain.at(-1);
    reader.chain = reader.chain.map((block) => ({
      ...block,
      abiChanges: block.abiChanges.map((change) => ({ ...change, sequence: 0 })),
      lastIrreversible: last?.position ?? block.position,
    }));
    await store.store.writeBlocks(reader.read(Infinity));
    const repairer = await openElasticsearchStoreRepairer(store.optionsWith({}));
    const withoutState = reader.chain.slice(0, 1).map((block) => ({ ...block, abiChanges: [], permissionChanges: [] }));
    await repairer.repairBlocks(withoutState);
    await repairer.close();
    const comparison = new Comparison(store.store, ModelHistory.of(reader.chain));
    await comparison.everyDataValue();
    await comparison.abisOf(reader.chain);
    await comparison.permissionsOf(reader.chain);
    await store.dispose();
  });

  it('a repair keeps of the ABIs of a snapshot only those that come from before its block', async () => {
    const store = await TemporaryStore.open(url);
    const reader = new SimulatedReader();
    const permissions = OWNERS.map((owner) => ({ owner, name: 'owner', authority: AUTHORITY }));
    reader.grow([{ ...PAID, permissions }, PAID, PAID]);
    const [first, , last] = reader.chain as [BlockRecords, BlockRecords, BlockRecords];
    const sequence = first.transactions[0]?.firstSequence ?? 0;
    const abi = ABIS[0] as Buffer;
    const own = { account: 'alice', abi, sequence };
    const before = { account: 'carol', abi, sequence: 0 };
    const strays = [
      { ...own, sequence: 0 },
      { ...own, account: 'eosio.token' },
    ];
    const chainWith = (abiChanges: BlockRecords['abiChanges']): BlockRecords[] => [
      { ...first, abiChanges, lastIrreversible: last.position },
      ...reader.chain.slice(1),
    ];
    const right = chainWith([before, own]);
    reader.chain = chainWith([before, own, ...strays]);
    await store.store.writeBlocks(reader.read(Infinity));
    const repairer = await openElasticsearchStoreRepairer(store.optionsWith({}));
    await repairer.repairBlocks(
      chainWith([own])
        .slice(0, 1)
        .map((block) => ({ ...block, permissionChanges: [] })),
    );
    await repairer.close();
    const comparison = new Comparison(store.store, ModelHistory.of(right));
    const at = [0, sequence, sequence + 1].map((each) => ({ blockNum: first.position.num, sequence: each }));
    await comparison.abis(
      ['alice', 'carol', 'eosio.token'].flatMap((account) => at.map((each) => ({ account, ...each }))),
    );
    await comparison.everyDataValue();
    await store.dispose();
  });

  describe('a repair of a permission', () => {
    const [wrong, right, later] = [2, 3, 4].map((byte) => Buffer.alloc(34, byte)) as [Buffer, Buffer, Buffer];
    const changingTo = (key: Buffer): BlockPlan => ({
      ...PAID,
      permissions: [{ owner: 'alice', name: 'active', authority: { keys: [key], actors: [] } }],
    });
    let store: TemporaryStore;
    let client: Client;
    let reader: SimulatedReader;
    beforeEach(async () => {
      store = await TemporaryStore.open(url);
      client = new Client({ node: url });
      reader = new SimulatedReader();
    });
    afterEach(async () => {
      await client.close();
      await store.dispose();
    });

    async function repairFirst(): Promise<void> {
      const repairer = await openElasticsearchStoreRepairer(store.optionsWith({}));
      await repairer.repairBlocks(reader.chain.slice(0, 1)).finally(() => repairer.close());
    }

    /** Grows the chain until a condition holds, which cleaning brings about. */
    async function growUntil(holds: () => Promise<boolean>): Promise<void> {
      while (!(await holds())) {
        reader.grow([PAID]);
        reader.makeIrreversible(1);
        await store.store.writeBlocks(reader.read(Infinity));
      }
    }

    async function isClean(): Promise<boolean> {
      return ((await new ProgressReader(client, store.names).read())?.progress.clean_up_to ?? 0) > 100;
    }

    async function storedVersions(): Promise<number> {
      await client.indices.refresh({ index: store.names.permissions });
      return (await client.count({ index: store.names.permissions })).count;
    }

    it('restores one that was stored wrong, also when a fork undoes a later change of it', async () => {
      reader.grow([changingTo(right), PAID]);
      const stored = reader.read(Infinity).map((block) => withKey(block, wrong));
      await store.store.writeBlocks(stored);
      await growUntil(isClean);
      reader.grow([changingTo(later)]);
      await store.store.writeBlocks(reader.read(Infinity));
      await repairFirst();
      reader.fork(1, [PAID, PAID]);
      await store.store.writeBlocks(reader.read(Infinity));
      await new Comparison(store.store, ModelHistory.of(reader.chain)).permissionsOf([...reader.chain, ...stored]);
    });

    it('does not bring a version back that was deleted because a later one replaces it', async () => {
      reader.grow([changingTo(right), changingTo(later)]);
      await growUntil(async () => (await isClean()) && (await storedVersions()) === 1);
      await repairFirst();
      expect(await storedVersions()).toBe(1);
      await new Comparison(store.store, ModelHistory.of(reader.chain)).permissionsOf(reader.chain);
    });
  });

  it('a repair stores no block that is reversible, and none of another branch', async () => {
    const store = await TemporaryStore.open(url);
    const reader = new SimulatedReader();
    reader.grow(Array<BlockPlan>(8).fill(PAID));
    reader.makeIrreversible(2);
    reader.grow([PAID]);
    await store.store.writeBlocks(reader.read(Infinity));
    const repairer = await openElasticsearchStoreRepairer(store.optionsWith({}));
    const [newest, reversible] = reader.chain.slice(5) as [BlockRecords, BlockRecords];
    const orphan = { ...newest, position: { ...newest.position, id: `00000069${'ab'.repeat(28)}` } };
    for (const refused of [reversible, orphan]) {
      await expect(repairer.repairBlocks([refused])).rejects.toMatchObject({ code: 'REPAIR_REFUSED' });
    }
    await repairer.repairBlocks([newest]);
    await repairer.close();
    const comparison = new Comparison(store.store, ModelHistory.of(reader.chain));
    for (const { position } of reader.chain) await comparison.block({ num: position.num });
    await store.dispose();
  });

  describe('a repair that begins in the middle of a range whose index was deleted', () => {
    let store: TemporaryStore;
    let client: Client;
    let reader: SimulatedReader;
    beforeEach(async () => {
      store = await TemporaryStore.open(url, { blocksPerIndex: 20 });
      client = new Client({ node: url });
      reader = new SimulatedReader();
      reader.grow(Array<BlockPlan>(44).fill(PAID));
      reader.makeIrreversible(2);
      reader.grow([PAID]);
      await store.store.writeBlocks(reader.read(Infinity));
    });
    afterEach(async () => {
      await client.close();
      await store.dispose();
    });

    async function lose(kind: 'actions' | 'blocks' | 'bodies', ...starts: number[]): Promise<void> {
      await client.indices.delete({ index: starts.map((start) => `${store.names[kind]}-0000000${start}`) });
    }

    /** Each time as a process of its own. */
    async function repair(blocks: typeof reader.chain): Promise<void> {
      const repairer = await openElasticsearchStoreRepairer(store.optionsWith({}), 0);
      await repairer.repairBlocks(blocks).finally(() => repairer.close());
    }

    it.each(['actions', 'blocks', 'bodies'] as const)(
      'stores its blocks, and others store the rest, when it has no %s',
      async (kind) => {
        await lose(kind, 100, 120);
        // The block before the first one is in the range itself, in a range that is lost, and in one that is being restored.
        for (const [from, to] of [
          [30, 40],
          [20, 30],
          [15, 20],
          [5, 15],
          [0, 5],
        ])
          await repair(reader.chain.slice(from, to));
        const comparison = new Comparison(store.store, ModelHistory.of(reader.chain));
        await comparison.actions({ ...EVERY_ACTION, account: 'alice', limit: 1_000 });
        for (const { position } of reader.chain) await comparison.block({ num: position.num });
        await comparison.everyDataValue();
      },
    );

    it('has stored the blocks before one that it refuses', async () => {
      await lose('actions', 100);
      const refused = repair([...reader.chain.slice(0, 5), ...reader.chain.slice(-1)]);
      await expect(refused).rejects.toMatchObject({ code: 'REPAIR_REFUSED' });
      await repair(reader.chain.slice(5, 20));
      const comparison = new Comparison(store.store, ModelHistory.of(reader.chain));
      await comparison.actions({ ...EVERY_ACTION, account: 'alice', limit: 1_000 });
    });

    it.each(['actions', 'blocks', 'bodies'] as const)(
      'has the %s made when they were deleted after its first blocks were replaced',
      async (kind) => {
        const repairer = await openElasticsearchStoreRepairer(store.optionsWith({}), 0);
        await repairer.repairBlocks(reader.chain.slice(0, 1));
        await lose(kind, 100);
        await repairer.repairBlocks(reader.chain.slice(0, 20)).finally(() => repairer.close());
        const comparison = new Comparison(store.store, ModelHistory.of(reader.chain));
        await comparison.actions({ ...EVERY_ACTION, account: 'alice', limit: 1_000 });
      },
    );

    it('is awaited by a writer that gets the first block of the range again, and cannot tell whether it is the same', async () => {
      const progress = new ProgressReader(client, store.names);
      // The progress lists the blocks from the last cleaned one on.
      while (((await progress.read())?.progress.clean_up_to ?? 0) < 100) await sleep(20);
      await lose('blocks', 100);
      reader.restart([]);
      await expect(store.store.writeBlocks(reader.read(1))).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    });

    it.each([
      ['actions', 'that is yet to be restored', 15],
      ['blocks', 'that is restored', 5],
    ] as const)('stores no block, when it has no %s, that does not follow a stored one %s', async (kind, _, first) => {
      await lose(kind, 100);
      await repair(reader.chain.slice(first, first + 5));
      const previous = { num: 109, id: `0000006d${'ab'.repeat(28)}` };
      const others = reader.chain.slice(10, 11).map((block) => ({ ...block, previous }));
      await expect(repair(others)).rejects.toMatchObject({ code: 'REPAIR_REFUSED' });
    });
  });
});

function withKey(block: BlockRecords, key: Buffer): BlockRecords {
  const authority = { keys: [key], actors: [] };
  return { ...block, permissionChanges: block.permissionChanges.map((change) => ({ ...change, authority })) };
}
