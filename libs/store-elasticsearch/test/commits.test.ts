import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@elastic/elasticsearch';
import type { BlockRecords } from '@antelope-history/records';
import { describeWithService } from '@antelope-history/servers';
import {
  Comparison,
  EMPTY_BLOCK,
  ModelHistory,
  ReaderSessions,
  SimulatedReader,
  SyntheticChain,
  type BlockPlan,
} from '@antelope-history/store/contract';
import type { DocumentKind } from '../src/indices/index-names';
import { decodeOrigin } from '../src/indices/action-origin';
import { PROGRESS_ID } from '../src/indices/progress';
import { ProgressStore } from '../src/commit/progress-store';
import { FaultyServer } from './faulty-server';
import { type TemporaryStore, withTemporaryStore } from './temporary-store';

jest.setTimeout(120_000);

const FAR_HEAD = { num: 100_000, id: 'f'.repeat(64) };

const BUSY: BlockPlan = {
  transactions: [
    [
      { account: 'hot', name: 'ping', actor: 'hot', notified: ['cold'], creatorDistance: 0, dataBytes: 50 },
      { account: 'hot', name: 'pong', actor: 'hot', notified: [], creatorDistance: 1, dataBytes: 8 },
    ],
  ],
  abis: [{ account: 'hot', abi: Buffer.from('an ABI') }],
  permissions: [{ owner: 'hot', name: 'active', authority: { keys: [Buffer.alloc(34, 2)], actors: ['cold'] } }],
};

const KINDS: DocumentKind[] = ['actions', 'blocks', 'bodies', 'abis', 'permissions'];

describeWithService(['elasticsearch'], (url = '') => {
  const client = new Client({ node: url });
  afterAll(() => client.close());

  /** The blocks with documents of a kind, committed or not, without duplicates. */
  async function blocksIn({ names }: TemporaryStore, kind: DocumentKind): Promise<Set<string>> {
    await client.indices.refresh({ index: `${names.prefix}-*` });
    const { hits } = await client.search<{ block: string }>({
      index: names.of(kind),
      size: 10_000,
      docvalue_fields: ['origin'],
    });
    const blockOf = (fields: unknown): string => decodeOrigin((fields as { origin: [string] }).origin[0]).block;
    return new Set(hits.hits.map(({ _source, fields }) => _source?.block ?? blockOf(fields)));
  }

  /** Cleaning follows a commit that does not wait for it. */
  async function untilEmpty(list: () => Promise<string[]>): Promise<void> {
    while ((await list()).length > 0) await sleep(50);
  }

  async function cleanUpTo({ names }: TemporaryStore): Promise<number> {
    return (await new ProgressStore(client, names).read())?.progress.clean_up_to ?? 0;
  }

  const busyChain = (length: number): BlockRecords[] =>
    new SyntheticChain().blocks(undefined, Array<BlockPlan>(length).fill(BUSY));

  it('are made at intervals far behind the head, and with each write when following it', () =>
    withTemporaryStore(url, { commitSeconds: 10 }, async ({ store }) => {
      const sessions = new ReaderSessions();
      const blocks = busyChain(4);
      const far = blocks.slice(0, 3).map((block) => ({ ...block, head: FAR_HEAD }));
      // The first commit is due at once, but the write does not wait for it.
      await store.writeBlocks(sessions.read(far.slice(0, 1)));
      await store.writeBlocks(sessions.read(far.slice(1, 2)));
      await store.writeBlocks(sessions.read(far.slice(2, 3)));
      const committed = (await store.getStatus()).committed?.num ?? 0;
      expect(committed).toBeLessThan(102);
      while ((await store.maintain()).committed?.num !== 102) await sleep(20);
      const status = await store.writeBlocks(sessions.read(blocks.slice(3)));
      expect(status.committed).toEqual(blocks[3]?.position);
    }));

  it('continue a store that an earlier version began, which has no positions of traces', () =>
    withTemporaryStore(url, { commitSeconds: 0 }, async ({ store, names }) => {
      const sessions = new ReaderSessions();
      const blocks = busyChain(4);
      await store.writeBlocks(sessions.read(blocks.slice(0, 2)));
      const { rows } = await store.getAccountTraces({ account: 'hot', select: (count) => ({ first: 0, last: count }) });
      expect(rows.map(({ trace }) => trace.receiver)).toEqual(['hot', 'cold', 'hot', 'hot', 'cold', 'hot']);
      const { _source } = await client.get<Record<string, unknown>>({ index: names.progress, id: PROGRESS_ID });
      const { counts_traces: _counts, ...older } = _source ?? {};
      await client.index({ index: names.progress, id: PROGRESS_ID, document: older, refresh: true });
      await store.writeBlocks(sessions.read(blocks.slice(2)));
      expect((await store.getStatus()).committed).toEqual(blocks[3]?.position);
      const asked = store.getAccountTraces({ account: 'hot', select: (count) => ({ first: 0, last: count }) });
      await expect(asked).rejects.toMatchObject({ code: 'POSITIONS_NOT_STORED' });
    }));

  it('wait for missing documents, and continue when their blocks are read again', () =>
    withTemporaryStore(url, { commitSeconds: 1_000 }, async (temporary) => {
      const { store, names } = temporary;
      const sessions = new ReaderSessions();
      const blocks = busyChain(6).map((block) => ({ ...block, head: FAR_HEAD }));
      await store.writeBlocks(sessions.read(blocks.slice(0, 3)));
      // This commit runs beside the first write; the next one is due much later.
      while ((await store.getStatus()).committed?.num !== 102) await sleep(20);
      await store.writeBlocks(sessions.read(blocks.slice(3)));
      const other = await temporary.openWriter({ commitSeconds: 0 });
      // Simulates a document that the server lost.
      await client.indices.refresh({ index: names.actions });
      const query = { term: { block: blocks[4]?.position.id ?? '' } };
      const { hits } = await client.search({ index: names.actions, query, size: 1 });
      const [lost] = hits.hits;
      await client.delete({ index: lost?._index ?? '', id: lost?._id ?? '' });
      await expect(other.maintain()).rejects.toMatchObject({ code: 'BLOCK_GAP' });
      const { positions } = await other.getProgress();
      sessions.begin();
      const next = blocks.filter(({ position }) => position.num > (positions.at(-1)?.num ?? 0));
      await other.writeBlocks(sessions.read(next));
      expect(await other.maintain()).toMatchObject({ committed: blocks[5]?.position });
      await new Comparison(temporary.store, ModelHistory.of(blocks)).sampledActions(20, 1);
    }));

  it('are made by another writer when one died before its own', () =>
    withTemporaryStore(url, { commitSeconds: 1_000 }, async (temporary) => {
      const blocks = busyChain(5).map((block) => ({ ...block, head: FAR_HEAD }));
      const sessions = new ReaderSessions();
      await temporary.store.writeBlocks(sessions.read(blocks.slice(0, 1)));
      await temporary.store.writeBlocks(sessions.read(blocks.slice(1)));
      await temporary.store.close();
      const other = await temporary.openWriter();
      expect(await other.maintain()).toMatchObject({ committed: blocks[4]?.position });
    }));

  it('delete the documents of orphans when the number is irreversible, whether committed before or not', () =>
    withTemporaryStore(url, {}, async (temporary) => {
      const { store } = temporary;
      const reader = new SimulatedReader();
      reader.grow(Array<BlockPlan>(6).fill(BUSY));
      await store.writeBlocks(reader.read(Infinity));
      reader.fork(3, Array<BlockPlan>(4).fill(BUSY));
      await store.writeBlocks(reader.read(Infinity));
      // An overtaken session: only its later messages were written.
      reader.fork(2, Array<BlockPlan>(3).fill(BUSY));
      await store.writeBlocks(reader.read(Infinity).slice(1));
      reader.restart((await store.getProgress()).positions);
      reader.fork(3, Array<BlockPlan>(2).fill(BUSY));
      await store.writeBlocks(reader.read(Infinity));
      const before = await blocksIn(temporary, 'blocks');
      const isOrphan = (id: string): boolean => !reader.chain.some(({ position }) => position.id === id);
      const orphans = [...before].filter(isOrphan);
      expect(orphans.length).toBeGreaterThan(4);
      reader.grow([BUSY, BUSY]);
      reader.makeIrreversible(0);
      reader.grow(Array<BlockPlan>(6).fill(BUSY));
      await store.writeBlocks(reader.read(Infinity));
      for (const kind of KINDS) await untilEmpty(async () => [...(await blocksIn(temporary, kind))].filter(isOrphan));
      expect((await blocksIn(temporary, 'blocks')).size).toBe(reader.chain.length);
      const comparison = new Comparison(store, ModelHistory.of(reader.chain));
      await comparison.status();
      await comparison.sampledActions(20, 1);
    }));

  it('ignore late messages, and write none of their documents for irreversible numbers', () =>
    withTemporaryStore(url, {}, async (temporary) => {
      const { store } = temporary;
      const chain = new SyntheticChain();
      const sessions = new ReaderSessions();
      const trunk = chain.blocks(undefined, Array<BlockPlan>(4).fill(BUSY));
      const late = sessions.read([chain.block(trunk[1], BUSY)]);
      sessions.begin();
      const rest = chain.blocks(trunk[3], Array<BlockPlan>(8).fill(BUSY), trunk[3]?.position);
      await store.writeBlocks(sessions.read([...trunk, ...rest]));
      await store.writeBlocks(late);
      expect(await blocksIn(temporary, 'blocks')).not.toContain(late[0]?.position.id);
      const contradiction = sessions.read([chain.block(trunk[1], BUSY)]);
      await expect(store.writeBlocks(contradiction)).rejects.toMatchObject({ code: 'FORK_TOO_DEEP' });
      expect(await blocksIn(temporary, 'blocks')).not.toContain(contradiction[0]?.position.id);
      await new Comparison(store, ModelHistory.of([...trunk, ...rest])).sampledActions(20, 1);
    }));

  it('clean orphans away that no search has seen, so that they never replace what is committed', () =>
    withTemporaryStore(url, {}, async (temporary) => {
      const { store } = temporary;
      const sessions = new ReaderSessions();
      const chain = new SyntheticChain();
      const withState = (key: number): BlockPlan => ({
        transactions: [],
        abis: [{ account: 'hot', abi: Buffer.from(`ABI ${key}`) }],
        permissions: [{ owner: 'hot', name: 'active', authority: { keys: [Buffer.alloc(34, key)], actors: [] } }],
      });
      const trunk = chain.blocks(undefined, [withState(1), EMPTY_BLOCK]);
      await store.writeBlocks(sessions.read(trunk));
      // One commit passes the orphan and its replacement, so that it makes no index of the orphan's state visible.
      const orphan = chain.block(trunk[1], withState(2));
      const rest = chain.blocks(trunk[1], Array<BlockPlan>(3).fill(EMPTY_BLOCK));
      await store.writeBlocks(sessions.read([orphan, ...rest]));
      const later = chain.blocks(rest[2], Array<BlockPlan>(8).fill(EMPTY_BLOCK), rest[2]?.position);
      await store.writeBlocks(sessions.read(later));
      while ((await cleanUpTo(temporary)) < orphan.position.num) await sleep(20);
      const unrelated = { ...withState(3), permissions: [{ owner: 'cold', name: 'active', authority: undefined }] };
      const last = chain.blocks(later[7], [{ ...unrelated, abis: [{ account: 'cold', abi: Buffer.from('ABI') }] }]);
      await store.writeBlocks(sessions.read(last));
      const model = ModelHistory.of([...trunk, ...rest, ...later, ...last]);
      const comparison = new Comparison(store, model);
      await comparison.permissionsOf([...model.committedBlocks, orphan]);
      await comparison.abisOf(model.committedBlocks);
    }));

  it.each([1, 3])(
    'keep out the documents of %i suspended writers whose blocks are orphaned and irreversible',
    (count) =>
      withTemporaryStore(url, {}, async (temporary) => {
        const { store } = temporary;
        const server = await FaultyServer.start(url);
        try {
          const open = () => temporary.openWriter({ urls: [server.url] });
          const suspended = await Promise.all(Array.from({ length: count }, open));
          const sessions = new ReaderSessions();
          const chain = new SyntheticChain();
          const trunk = chain.blocks(undefined, Array<BlockPlan>(3).fill(BUSY));
          await store.writeBlocks(sessions.read(trunk));
          const orphans = suspended.map(() => chain.block(trunk[2], BUSY));
          let resume = (): void => undefined;
          const resumed = new Promise<void>((resolve) => (resume = resolve));
          const isBulk = ({ path }: { path: string }): boolean => path.startsWith('/_bulk');
          server.fault = (request) => (isBulk(request) ? { until: resumed } : 'none');
          const late = suspended.map((writer, index) => {
            const orphan = orphans[index] as BlockRecords;
            const delivery = sessions.read([orphan]);
            // Another reader takes over: the message of the last one will never be committed.
            sessions.begin();
            return writer.writeBlocks(delivery);
          });
          while (server.seen.filter(isBulk).length < count) await sleep(20);
          const rest = chain.blocks(trunk[2], Array<BlockPlan>(3).fill(BUSY));
          const later = chain.blocks(rest[2], Array<BlockPlan>(8).fill(BUSY), rest[2]?.position);
          await store.writeBlocks(sessions.read([...rest, ...later]));
          while ((await cleanUpTo(temporary)) < (rest[0]?.position.num ?? 0)) await sleep(20);
          resume();
          await Promise.all(late);
          for (const kind of KINDS) {
            const blocks = await blocksIn(temporary, kind);
            for (const { position } of orphans) expect(blocks).not.toContain(position.id);
          }
          await new Comparison(store, ModelHistory.of([...trunk, ...rest, ...later])).sampledActions(20, 1);
        } finally {
          await server.stop();
        }
      }),
  );

  it('continue with the current reader while another one repeats its blocks, however many, and then falls silent', () =>
    withTemporaryStore(url, {}, async (temporary) => {
      const { store, names } = temporary;
      const [first, other] = [new ReaderSessions(), new ReaderSessions()];
      // The other reader's epoch is the later one.
      for (let epochs = 0; epochs < 1_000; epochs++) other.begin();
      const blocks = new SyntheticChain().blocks(undefined, Array<BlockPlan>(200).fill(EMPTY_BLOCK));
      await store.writeBlocks(first.read(blocks.slice(0, 190)));
      await store.writeBlocks(other.read(blocks.slice(100, 190)));
      for (const block of blocks.slice(190)) await store.writeBlocks(first.read([block]));
      expect(await store.getStatus()).toMatchObject({ committed: blocks[199]?.position });
      await client.indices.refresh({ index: names.journal });
      const epoch = { range: { session: { gt: 2_000 } } };
      expect((await client.count({ index: names.journal, query: epoch })).count).toBeLessThan(90);
    }));

  it('pass a block that one node sent with its traces and another, started from a snapshot, without', () =>
    withTemporaryStore(url, {}, async (temporary) => {
      const { store } = temporary;
      const chain = new SyntheticChain();
      const sessions = new ReaderSessions();
      const [whole, ...rest] = chain.blocks(undefined, Array<BlockPlan>(4).fill(BUSY)) as [
        BlockRecords,
        ...BlockRecords[],
      ];
      const state = Array.from({ length: 30 }, (_, index) => ({
        owner: `owner${'abcdefghijklmnopqrstuvwxyz12345'[index]}`,
        name: 'active',
        authority: { keys: [Buffer.alloc(34, index)], actors: [] },
      }));
      const snapshot = { ...whole, block: undefined, timestamp: 0, transactions: [], permissionChanges: state };
      const suspended = sessions.read([whole]);
      sessions.begin();
      await store.writeBlocks([...suspended, ...sessions.read([snapshot])]);
      await store.writeBlocks(sessions.read(rest));
      expect(await store.getStatus()).toMatchObject({ committed: rest.at(-1)?.position });
    }));

  it('clean below a fork while what is above it is kept for queries in progress', () =>
    withTemporaryStore(url, {}, async (temporary) => {
      const writer = await temporary.openWriter({}, { forkPauseMs: 3_600_000 });
      const reader = new SimulatedReader();
      reader.grow(Array<BlockPlan>(12).fill(EMPTY_BLOCK));
      await writer.writeBlocks(reader.read(Infinity));
      const fork = reader.chain[9]?.position.num ?? 0;
      for (let forks = 0; forks < 4; forks++) {
        reader.fork(forks === 0 ? 3 : 1, Array<BlockPlan>(4).fill(EMPTY_BLOCK));
        await writer.writeBlocks(reader.read(Infinity));
      }
      reader.makeIrreversible(0);
      reader.grow(Array<BlockPlan>(12).fill(EMPTY_BLOCK));
      await writer.writeBlocks(reader.read(Infinity));
      while ((await cleanUpTo(temporary)) < fork - 1) await sleep(20);
      reader.grow([EMPTY_BLOCK]);
      await writer.writeBlocks(reader.read(Infinity));
      await writer.close();
      expect(await cleanUpTo(temporary)).toBe(fork - 1);
    }));

  it('are cleaned by a process that has just begun only far below the head, where no block is undone', () =>
    withTemporaryStore(url, {}, async (temporary) => {
      const blocks = new SyntheticChain().blocks(undefined, Array<BlockPlan>(20).fill(EMPTY_BLOCK));
      const sessions = new ReaderSessions();
      const irreversible = blocks[9]!.position;
      const last = blocks[19]!.position.num;
      // A writer that is closed has cleaned what it may.
      const cleanAfter = async (first: number, end: number, head: number): Promise<number> => {
        const writer = await temporary.openWriter({}, { startPauseMs: 3_600_000 });
        for (const block of blocks.slice(first, end)) {
          const seen = { ...block, head: { ...block.head, num: head }, lastIrreversible: irreversible };
          await writer.writeBlocks(sessions.read([seen]));
        }
        await writer.close();
        return cleanUpTo(temporary);
      };
      expect(await cleanAfter(0, 18, last)).toBe(0);
      expect(await cleanAfter(18, 20, last + 5_000)).toBe(irreversible.num);
    }));

  it('are cleaned while the chain stands still, by a process that has committed none of them', () =>
    withTemporaryStore(url, {}, async (temporary) => {
      const chain = new SimulatedReader();
      chain.grow(Array<BlockPlan>(15).fill(EMPTY_BLOCK));
      chain.makeIrreversible(0);
      chain.grow(Array<BlockPlan>(5).fill(EMPTY_BLOCK));
      const first = await temporary.openWriter({}, { startPauseMs: 3_600_000 });
      await first.writeBlocks(chain.read(Infinity));
      await first.close();
      expect(await cleanUpTo(temporary)).toBe(0);
      const idle = await temporary.openWriter();
      for (let calls = 0; calls < 2; calls++) await idle.maintain();
      await idle.close();
      expect(await cleanUpTo(temporary)).toBe(chain.chain[14]?.position.num);
    }));

  it('find and delete what is added to cleaned blocks in spite of the fence', () =>
    withTemporaryStore(url, {}, async (temporary) => {
      const writer = await temporary.openWriter({}, { sweepEveryMs: 0 });
      const sessions = new ReaderSessions();
      const chain = new SyntheticChain();
      const trunk = chain.blocks(undefined, Array<BlockPlan>(3).fill(BUSY));
      const later = chain.blocks(trunk[2], Array<BlockPlan>(8).fill(BUSY), trunk[2]?.position);
      await writer.writeBlocks(sessions.read([...trunk, ...later]));
      while ((await cleanUpTo(temporary)) < (trunk[2]?.position.num ?? 0)) await sleep(20);
      const stray = { block_num: trunk[1]?.position.num, block: 'f'.repeat(64), owner: 'hot', name: 'active' };
      await client.index({ index: temporary.names.permissions, document: stray });
      const next = chain.block(later[7], BUSY, trunk[2]?.position);
      await writer.writeBlocks(sessions.read([next]));
      await untilEmpty(async () =>
        [...(await blocksIn(temporary, 'permissions'))].filter((block) => block === stray.block),
      );
    }));

  it('have their journal entries and superseded permission versions deleted', () =>
    withTemporaryStore(url, {}, async (temporary) => {
      const { store, names } = temporary;
      const sessions = new ReaderSessions();
      const chain = new SyntheticChain();
      const blocks: BlockRecords[] = [];
      const versions = async (): Promise<number> => (await blocksIn(temporary, 'permissions')).size;
      // Deletion follows a commit that does not wait for it, so the chain grows until it has happened.
      for (let index = 0; index < 14 || (await versions()) >= 9; index++) {
        const key = Buffer.alloc(34, index);
        const authority = { keys: [key], actors: [] };
        // The first version of the other one is its newest, too, and stays.
        const owners = index === 0 ? ['hot', 'cold'] : ['hot'];
        const permissions = owners.map((owner) => ({ owner, name: 'active', authority }));
        blocks.push(chain.block(blocks.at(-1), { ...BUSY, permissions }, blocks.at(-3)?.position));
        // Deletion is by search, and the server refreshes the journal once a second.
        await client.indices.refresh({ index: names.journal });
        await store.writeBlocks(sessions.read(blocks.slice(-1)));
      }
      await store.close();
      await client.indices.refresh({ index: `${names.prefix}-*` });
      const { hits } = await client.search<{ ordinal: number }>({ index: names.journal });
      // Only a later commit would delete the newest entries.
      expect(hits.hits.filter(({ _source }) => (_source?.ordinal ?? 0) < 1_005)).toEqual([]);
      expect(await versions()).toBeLessThan(9);
      const comparison = new Comparison(await temporary.openReader(), ModelHistory.of(blocks));
      await comparison.permissionsOf(blocks);
    }));

  it('refuse blocks without a stream position', () =>
    withTemporaryStore(url, {}, async ({ store }) => {
      await expect(store.writeBlocks([new SyntheticChain().block(undefined, EMPTY_BLOCK)])).rejects.toMatchObject({
        code: 'INTERNAL',
      });
    }));
});
