import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@elastic/elasticsearch';
import type { BlockRecords } from '@antelope-history/records';
import { describeWithService } from '@antelope-history/servers';
import {
  type BlockPlan,
  Comparison,
  EVERY_ACTION,
  ModelHistory,
  ReaderSessions,
  SyntheticChain,
} from '@antelope-history/store/contract';
import { ProgressReader } from '../src/indices/progress';
import { openElasticsearchStoreReader } from '../src/reader';
import { createSnapshot, listSnapshots, restoreSnapshot } from '../src/snapshot';
import { readNewestWrites } from '../src/snapshot/snapshot-client';
import { openElasticsearchStoreWriter } from '../src/writer';
import { TemporaryStore, withTemporaryStore } from './temporary-store';

jest.setTimeout(180_000);

const PLAN: BlockPlan = {
  transactions: [
    [
      { account: 'hot', name: 'ping', actor: 'hot', notified: ['cold'], creatorDistance: 0, dataBytes: 50 },
      { account: 'hot', name: 'pong', actor: 'hot', notified: [], creatorDistance: 1, dataBytes: 8 },
    ],
  ],
  abis: [{ account: 'hot', abi: Buffer.from('an ABI') }],
  permissions: [{ owner: 'hot', name: 'active', authority: { keys: [Buffer.alloc(34, 2)], actors: ['cold'] } }],
};
const plans = (count: number): BlockPlan[] => Array<BlockPlan>(count).fill(PLAN);

/** A reader that has begun to read. */
function startedSessions(): ReaderSessions {
  const sessions = new ReaderSessions();
  sessions.begin();
  return sessions;
}

describeWithService(['elasticsearch'], (url = '') => {
  const client = new Client({ node: url });
  const repository = `test-${randomUUID()}`;

  beforeAll(async () => {
    await client.snapshot.createRepository({
      name: repository,
      repository: { type: 'fs', settings: { location: repository } },
    });
  });
  afterAll(async () => {
    await client.snapshot.delete({ repository, snapshot: '*' });
    await client.snapshot.deleteRepository({ name: repository });
    await client.close();
  });

  async function withStore(
    body: (store: TemporaryStore, chain: SyntheticChain, sessions: ReaderSessions) => Promise<void>,
  ): Promise<void> {
    const temporary = await TemporaryStore.open(url);
    try {
      await body(temporary, new SyntheticChain(), startedSessions());
    } finally {
      await temporary.dispose();
    }
  }

  async function deleteIndices(store: TemporaryStore): Promise<void> {
    await client.indices.delete({ index: Object.keys(await client.indices.get({ index: store.names.pattern })) });
  }

  async function storeId(store: TemporaryStore): Promise<string | undefined> {
    return (await new ProgressReader(client, store.names).read())?.progress.store_id;
  }

  async function compare(store: TemporaryStore, blocks: readonly BlockRecords[]): Promise<void> {
    const reader = await openElasticsearchStoreReader(store.optionsWith({}));
    const comparison = new Comparison(reader, ModelHistory.of(blocks));
    await comparison.sampledActions(20, 1);
    for (const { position } of blocks.slice(-3)) await comparison.block({ num: position.num });
    await comparison.account('hot');
    await reader.close();
  }

  it('brings the store back as it was, and indexing continues on it', () =>
    withStore(async (store, chain, sessions) => {
      const blocks = chain.blocks(undefined, plans(40));
      const writer = await openElasticsearchStoreWriter(store.optionsWith({}));
      await writer.writeBlocks(sessions.read(blocks));
      await writer.close();
      const options = store.optionsWith({});
      const name = 'whole';
      const made = await createSnapshot(options, { repository, name });
      expect(made).toMatchObject({ name, isComplete: true, committed: blocks.at(-1)?.position });
      expect(made.bytes).toBeGreaterThan(1_000);
      expect(await listSnapshots(options, repository)).toEqual([made]);

      // What happens after the snapshot is gone when it is restored.
      const later = await openElasticsearchStoreWriter(options);
      await later.writeBlocks(sessions.read(chain.blocks(blocks.at(-1), plans(5))));
      await later.close();
      await expect(restoreSnapshot(options, { repository, name })).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining('delete these indices first'),
      });
      const before = await storeId(store);
      await deleteIndices(store);
      const progress: number[] = [];
      const restored = await restoreSnapshot(options, { repository, name, onProgress: (done) => progress.push(done) });
      expect(restored).toEqual(made);
      expect(progress.length).toBeGreaterThan(0);
      expect([typeof before, (await storeId(store)) === before]).toEqual(['string', false]);
      await compare(store, blocks);

      const next = await openElasticsearchStoreWriter(options);
      const branch = chain.blocks(blocks.at(-1), plans(10));
      sessions.begin();
      await next.writeBlocks(sessions.read(branch));
      await next.maintain();
      await next.close();
      await compare(store, [...blocks, ...branch]);
    }));

  it('leaves a store alone whose prefix begins with its own', () =>
    withStore(async (store, chain, sessions) => {
      const options = store.optionsWith({});
      const writer = await openElasticsearchStoreWriter(options);
      const blocks = chain.blocks(undefined, plans(5));
      await writer.writeBlocks(sessions.read(blocks));
      await writer.close();
      await withTemporaryStore(url, { indexPrefix: `${options.indexPrefix}-test` }, async (other) => {
        const made = await createSnapshot(options, { repository, name: 'own' });
        const writes = await readNewestWrites(client, store.names);
        await other.store.setChainId('ab'.repeat(32));
        expect(await readNewestWrites(client, store.names)).toBe(writes);
        await deleteIndices(store);
        const left = await client.indices.get({ index: other.names.pattern });
        expect(await restoreSnapshot(options, { repository, name: 'own' })).toEqual(made);
        expect(await client.indices.get({ index: other.names.pattern })).toEqual(left);
        await compare(store, blocks);
      });
    }));

  it('is not kept when something was written meanwhile', () =>
    withStore(async (store, chain, sessions) => {
      const writer = await openElasticsearchStoreWriter(store.optionsWith({}));
      const blocks = sessions.read(chain.blocks(undefined, plans(200)));
      await writer.writeBlocks(blocks.slice(0, 5));
      const state = { isOver: false };
      const writing = (async () => {
        for (let next = 5; !state.isOver && next < blocks.length; next++) {
          await writer.writeBlocks(blocks.slice(next, next + 1));
          await sleep(20);
        }
      })();
      const options = store.optionsWith({});
      // A small snapshot may fit between two writes.
      const kept: string[] = [];
      const make = async (): Promise<void> => {
        for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) {
          await createSnapshot(options, { repository, name });
          kept.push(name);
        }
      };
      await expect(make()).rejects.toMatchObject({ code: 'STORE_IN_USE' });
      state.isOver = true;
      await writing;
      await writer.close();
      expect((await listSnapshots(options, repository)).map(({ name }) => name).sort()).toEqual(kept);
    }));

  it('is deleted when it is interrupted, and a restore names what is left', () =>
    withStore(async (store, chain, sessions) => {
      const writer = await openElasticsearchStoreWriter(store.optionsWith({}));
      await writer.writeBlocks(sessions.read(chain.blocks(undefined, plans(5))));
      await writer.close();
      const options = store.optionsWith({});
      /** Ctrl-C while the cluster makes or restores it. */
      const cut = () => {
        const interrupted = new AbortController();
        return { repository, name: 'cut', signal: interrupted.signal, onProgress: () => interrupted.abort() };
      };
      const stopped = (message: string) => ({ code: 'STOPPED', message: expect.stringContaining(message) });
      await expect(createSnapshot(options, cut())).rejects.toMatchObject(stopped('the snapshot cut was interrupted'));
      // A busy server may delete it after the time for which the program waits.
      let listed = await listSnapshots(options, repository);
      for (let tries = 0; listed.length > 0 && tries < 300; tries++) {
        await sleep(100);
        listed = await listSnapshots(options, repository);
      }
      expect(listed).toEqual([]);
      await createSnapshot(options, { repository, name: 'cut' });
      await deleteIndices(store);
      await expect(restoreSnapshot(options, cut())).rejects.toMatchObject(
        stopped(`delete the indices ${store.names.pattern}`),
      );
    }));

  it('leaves the snapshot of another run alone when it is interrupted before it begins one', () =>
    withStore(async (store) => {
      const options = store.optionsWith({});
      await (await openElasticsearchStoreWriter(options)).close();
      const made = await createSnapshot(options, { repository, name: 'kept' });
      const again = { repository, name: 'kept', signal: AbortSignal.abort() };
      await expect(createSnapshot(options, again)).rejects.toMatchObject({ code: 'STOPPED' });
      expect(await listSnapshots(options, repository)).toEqual([made]);
    }));

  it('replaces a snapshot of its name that failed', () =>
    withStore(async (store) => {
      const options = store.optionsWith({});
      await (await openElasticsearchStoreWriter(options)).close();
      const index = `${options.indexPrefix}-lost`;
      const nowhere = { 'index.routing.allocation.require._name': 'nowhere' };
      await client.indices.create({ index, settings: nowhere, wait_for_active_shards: 0 });
      // Elasticsearch ends one so when it loses a shard meanwhile.
      const snapshot = { repository, name: 'failed' };
      await client.snapshot.create({
        repository,
        snapshot: 'failed',
        indices: `${options.indexPrefix}-*`,
        include_global_state: false,
        partial: true,
        metadata: { history_index_prefix: options.indexPrefix },
        wait_for_completion: true,
      });
      expect(await listSnapshots(options, repository)).toMatchObject([{ name: 'failed', isComplete: false }]);
      await client.indices.delete({ index });
      expect(await createSnapshot(options, snapshot)).toMatchObject({ isComplete: true });
    }));

  it('says when the cluster does not restore all of it', () =>
    withStore(async (store) => {
      const options = store.optionsWith({});
      await (await openElasticsearchStoreWriter(options)).close();
      const nowhere = { 'index.routing.allocation.require._name': 'nowhere' };
      await client.indices.putSettings({ index: store.names.abis, settings: nowhere });
      const snapshot = { repository, name: 'stalled', stallLimitMs: 2_000 };
      await createSnapshot(options, snapshot);
      await deleteIndices(store);
      await expect(restoreSnapshot(options, snapshot)).rejects.toMatchObject({
        code: 'STORE_REFUSED',
        message: expect.stringContaining('1 of '),
      });
    }));

  it.each([
    ['other writes', { history_writes: '00'.repeat(32) }, 'something was written while'],
    ['another block', { history_committed: { num: 5, id: 'ab'.repeat(32) } }, 'says of itself'],
  ])('gives the apps nothing that was restored of a snapshot that names %s', (_, metadata, message) =>
    withStore(async (store, chain, sessions) => {
      const options = store.optionsWith({});
      const writer = await openElasticsearchStoreWriter(options);
      await writer.writeBlocks(sessions.read(chain.blocks(undefined, plans(3))));
      await writer.close();
      const snapshot = { repository, name: `other-${randomUUID()}` };
      await client.snapshot.create({
        repository,
        snapshot: snapshot.name,
        indices: `${options.indexPrefix}-*`,
        include_global_state: false,
        metadata: { history_index_prefix: options.indexPrefix, ...metadata },
        wait_for_completion: true,
      });
      await deleteIndices(store);
      await expect(restoreSnapshot(options, snapshot)).rejects.toMatchObject({
        code: 'STORE_REFUSED',
        message: expect.stringContaining(message),
      });
      const ask = async (): Promise<unknown> => (await store.openReader()).getActions(EVERY_ACTION);
      await expect(ask()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    }),
  );

  it('says what is missing', () =>
    withStore(async (store) => {
      const options = store.optionsWith({});
      const empty = { ...options, indexPrefix: `test-${randomUUID()}` };
      const refused = (message: string) => ({ code: 'CONFIG_INVALID', message: expect.stringContaining(message) });
      const unknown = { repository: 'nowhere', name: 'x' };
      await expect(createSnapshot(options, unknown)).rejects.toMatchObject(refused('no snapshot repository nowhere'));
      await expect(listSnapshots(options, 'nowhere')).rejects.toMatchObject(refused('no snapshot repository nowhere'));
      await expect(createSnapshot(empty, { repository, name: 'x' })).rejects.toMatchObject(refused('has no indices'));
      await expect(restoreSnapshot(empty, { repository, name: 'x' })).rejects.toMatchObject(refused('does not exist'));
      const writer = await openElasticsearchStoreWriter(options);
      await writer.setChainId('c5'.repeat(32));
      await writer.close();
      await createSnapshot(options, { repository, name: 'twice' });
      await expect(createSnapshot(options, { repository, name: 'twice' })).rejects.toMatchObject(
        refused('has a snapshot twice already'),
      );
      // A snapshot of another store in the same repository.
      expect(await listSnapshots(empty, repository)).toEqual([]);
      await expect(restoreSnapshot(empty, { repository, name: 'twice' })).rejects.toMatchObject(
        refused('does not exist'),
      );
    }));
});
