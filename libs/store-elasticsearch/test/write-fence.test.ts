import { Client } from '@elastic/elasticsearch';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BlockRecords } from '@antelope-history/records';
import { describeWithService } from '@antelope-history/servers';
import {
  type BlockPlan,
  Comparison,
  ModelHistory,
  ReaderSessions,
  SyntheticChain,
} from '@antelope-history/store/contract';
import { ProgressReader } from '../src/indices/progress';
import { WriteFence } from '../src/write/write-fence';
import { openElasticsearchStoreRepairer } from '../src/writer';
import { FaultyServer } from './faulty-server';
import { TemporaryStore } from './temporary-store';

jest.setTimeout(120_000);

const SERIES = ['reversible', 'irreversible'] as const;

const BUSY: BlockPlan = {
  transactions: [
    [{ account: 'hot', name: 'ping', actor: 'hot', notified: ['cold'], creatorDistance: 0, dataBytes: 50 }],
  ],
  abis: [{ account: 'hot', abi: Buffer.from('an ABI') }],
  permissions: [{ owner: 'hot', name: 'active', authority: { keys: [Buffer.alloc(34, 2)], actors: ['cold'] } }],
};

/** A permission that a node has sent wrong. */
const ALTERED = { owner: 'cold', name: 'active', authority: { keys: [], actors: ['hot'] } };

describeWithService(['elasticsearch'], (url = '') => {
  describe('the write term', () => {
    it('of a new store exists from its beginning', () =>
      withStore(url, async ({ names }, client) => {
        expect((await termsOf(client, names.progress)).sort()).toEqual(
          SERIES.map((blocks) => names.currentTerm(blocks, 0)).sort(),
        );
      }));

    it.each(SERIES)(
      'of %s blocks is not brought back by a process that was suspended while it began the first one',
      (blocks) =>
        withStore(url, async ({ names }, client) => {
          const { progress } = names;
          await client.indices.deleteAlias({ index: progress, name: names.currentTerm(blocks, 0) });
          let reads = 0;
          const fence = new WriteFence(client, names, blocks);
          await fence.prepare(async () => {
            // Another process begins a term after this one has read that there is none.
            if (++reads === 1) return 0;
            await client.indices.putAlias({ index: progress, name: names.currentTerm(blocks, 3) });
            return 3;
          });
          expect(await termsOf(client, progress)).toContain(names.currentTerm(blocks, 3));
          expect(await termsOf(client, progress)).not.toContain(names.currentTerm(blocks, 0));
          await expect(fence.open([names.abis], 0)).rejects.toMatchObject({ message: 'the write term has ended' });
          await fence.open([names.abis], 3);
        }),
    );

    it('of all other indices ends also when one was deleted', () =>
      withStore(url, async ({ store, names }, client) => {
        await store.writeBlocks(new ReaderSessions().read(new SyntheticChain().blocks(undefined, [BUSY])));
        const index = `${names.actions}-0000000000`;
        const alias = (await termsOf(client, index)).find((each) => names.termOf(each, 'reversible') !== undefined);
        await client.indices.delete({ index: names.abis });
        const fence = new WriteFence(client, names, 'reversible');
        expect([alias, await fence.begin(100)]).toEqual([expect.any(String), true]);
        expect(await termsOf(client, index)).not.toContain(alias);
      }));

    it('keeps out an orphan of a writer that was suspended after it had read the progress, and then reserves blocks', () =>
      withStore(url, async (temporary, client) => {
        const { store, names } = temporary;
        const server = await FaultyServer.start(url);
        const suspended = await temporary.openWriter({ urls: [server.url] });
        const sessions = new ReaderSessions();
        const chain = new SyntheticChain();
        // Two blocks are reserved at once, and the next one is not yet.
        const trunk = chain.blocks(undefined, Array<BlockPlan>(4).fill(BUSY));
        await store.writeBlocks(sessions.read(trunk));
        const orphan = chain.block(trunk[3], BUSY);
        let resume = (): void => undefined;
        const until = new Promise<void>((resolve) => (resume = resolve));
        let reads = 0;
        const arrived = new Promise<void>((resolve) => {
          server.fault = ({ method, path }) => {
            if (method !== 'GET' || !path.includes('/_doc/progress') || ++reads !== 2) return 'none';
            resolve();
            return { until };
          };
        });
        const late = suspended.writeBlocks(sessions.read([orphan]));
        await arrived;
        sessions.begin();
        const rest = chain.blocks(trunk[3], Array<BlockPlan>(3).fill(BUSY));
        let last = rest[2] as BlockRecords;
        const progress = new ProgressReader(client, names);
        await store.writeBlocks(sessions.read(rest));
        while (((await progress.read())?.progress.clean_up_to ?? 0) < orphan.position.num) {
          const next = chain.blocks(last, [BUSY, BUSY], rest[2]?.position);
          await store.writeBlocks(sessions.read(next));
          last = next[1] as BlockRecords;
          await sleep(50);
        }
        resume();
        await late;
        await server.stop();
        await client.indices.refresh({ index: `${names.prefix}-*` });
        const query = { term: { block: orphan.position.id } };
        const index = [names.actions, names.blocks, names.bodies, names.abis, names.permissions];
        expect((await client.count({ index, query })).count).toBe(0);
      }));

    it.each([
      ['when they were irreversible', true],
      ['before they became irreversible', false],
    ])('keeps a writer from blocks that were repaired since, with which it was suspended %s', (_, isIrreversible) =>
      withStore(url, async (temporary, client) => {
        const server = await FaultyServer.start(url);
        const suspended = await temporary.openWriter({ urls: [server.url] });
        // Cleaning would begin a write term.
        const writer = await temporary.openWriter({}, { cleanBlocks: Infinity });
        const sessions = new ReaderSessions();
        const chain = new SyntheticChain();
        const [first, ...later] = chain.blocks(undefined, Array<BlockPlan>(4).fill(BUSY)) as [
          BlockRecords,
          ...BlockRecords[],
        ];
        const end = chain.block(later.at(-1), BUSY, later.at(-1)?.position);
        const trunk = [first, ...later, end];
        const altered = {
          ...first,
          permissionChanges: [ALTERED],
          lastIrreversible: isIrreversible ? first.position : first.lastIrreversible,
        };
        const written = sessions.read([altered, ...later, end]);
        sessions.begin();
        const { arrived, resume } = server.suspend(({ path }) => path.startsWith('/_bulk'));
        const late = suspended.writeBlocks(sessions.read([altered]));
        await arrived;
        await writer.writeBlocks(written);
        const repairer = await openElasticsearchStoreRepairer(temporary.optionsWith({}));
        await repairer.repairBlocks([first]);
        await repairer.close();
        resume();
        await late;
        await server.stop();
        await client.indices.refresh({ index: `${temporary.names.prefix}-*` });
        const comparison = new Comparison(temporary.store, ModelHistory.of(trunk));
        await comparison.permissionsOf([...trunk, altered]);
      }),
    );

    it('keeps a writer from a block that replaced one in a fork since the last repair of the process that repairs it', () =>
      withStore(url, async (temporary, client) => {
        const server = await FaultyServer.start(url);
        const suspended = await temporary.openWriter({ urls: [server.url] });
        const writer = await temporary.openWriter({}, { cleanBlocks: Infinity });
        const sessions = new ReaderSessions();
        const chain = new SyntheticChain();
        const trunk = chain.blocks(undefined, [BUSY, BUSY]) as [BlockRecords, BlockRecords];
        const undone = chain.blocks(trunk[1], [BUSY, BUSY], trunk[0].position);
        await writer.writeBlocks(sessions.read([...trunk, ...undone]));
        const repairer = await openElasticsearchStoreRepairer(temporary.optionsWith({}));
        await repairer.repairBlocks([trunk[0]]);
        const branch = chain.blocks(trunk[1], [BUSY, BUSY, BUSY], trunk[0].position) as [BlockRecords, BlockRecords];
        const end = chain.block(branch.at(-1), BUSY, branch.at(-1)?.position);
        const altered = { ...branch[0], permissionChanges: [ALTERED] };
        const written = sessions.read([altered, ...branch.slice(1), end]);
        sessions.begin();
        const { arrived, resume } = server.suspend(({ path }) => path.startsWith('/_bulk'));
        const late = suspended.writeBlocks(sessions.read([altered]));
        await arrived;
        await writer.writeBlocks(written);
        await repairer.repairBlocks([branch[0]]);
        await repairer.close();
        resume();
        await late;
        await server.stop();
        await client.indices.refresh({ index: `${temporary.names.prefix}-*` });
        const model = ModelHistory.of([...trunk, ...branch, end]);
        await new Comparison(temporary.store, model).permissionsOf([...model.committedBlocks, altered]);
      }));

    it('that another repair named, and was killed before it began, begins with the next block of a repair', () =>
      withStore(url, async (temporary) => {
        const server = await FaultyServer.start(url);
        const sessions = new ReaderSessions();
        const chain = new SyntheticChain();
        const trunk = chain.blocks(undefined, [BUSY, BUSY, BUSY]);
        const end = chain.block(trunk[2], BUSY, trunk[2]?.position);
        await temporary.store.writeBlocks(sessions.read([...trunk, end]));
        const repairer = await openElasticsearchStoreRepairer(temporary.optionsWith({}));
        await repairer.repairBlocks(trunk.slice(0, 1));
        const other = await openElasticsearchStoreRepairer(temporary.optionsWith({ urls: [server.url] }));
        server.fault = ({ path }) => (path.startsWith('/_aliases') ? { status: 403 } : 'none');
        await expect(other.repairBlocks(trunk.slice(1, 2))).rejects.toMatchObject({ code: 'ACCESS_REFUSED' });
        await other.close();
        await server.stop();
        await repairer.repairBlocks(trunk.slice(1));
        await repairer.close();
        await new Comparison(temporary.store, ModelHistory.of([...trunk, end])).permissionsOf(trunk);
      }));
  });
});

async function withStore(url: string, body: (store: TemporaryStore, client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ node: url });
  const store = await TemporaryStore.open(url);
  try {
    await body(store, client);
  } finally {
    await store.dispose();
    await client.close();
  }
}

async function termsOf(client: Client, index: string): Promise<string[]> {
  const { [index]: found } = await client.indices.getAlias({ index });
  return Object.keys(found?.aliases ?? {});
}
