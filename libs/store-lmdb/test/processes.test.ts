import { mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { BlockRecords } from '@antelope-history/records';
import type { HistoryReader, StoreReader } from '@antelope-history/store';
import {
  CONTRACT_DATA_FIELDS,
  Comparison,
  ModelHistory,
  SyntheticChain,
  type ActionPlan,
  type BlockPlan,
  type HistoryStore,
} from '@antelope-history/store/contract';
import { openLmdbStoreReader } from '../src/reader';
import type { LmdbWriterOptions } from '../src/writer';
import { buildStore, RemoteStore } from './remote-store';
import { openBothSides } from './temporary-store';

const TRANSFER: ActionPlan = {
  account: 'token',
  name: 'transfer',
  actor: 'alice',
  notified: ['bob'],
  creatorDistance: 0,
  dataBytes: 200,
};

/** A block of one transaction; `word` is the name of its action and permission, and its ABI. */
function blockPlan(word: string, actions = 20): BlockPlan {
  return {
    transactions: [Array<ActionPlan>(actions).fill({ ...TRANSFER, name: word })],
    abis: [{ account: 'token', abi: Buffer.from(word) }],
    permissions: [{ owner: 'alice', name: word, authority: { keys: [Buffer.from(word)], actors: [word] } }],
  };
}

describe('a data directory', () => {
  let folder: string;
  let directory: string;
  const remotes: RemoteStore[] = [];
  const handles: { close(): Promise<void> }[] = [];

  const options = (): LmdbWriterOptions => ({
    path: directory,
    mapSizeBytes: 0,
    dataFields: CONTRACT_DATA_FIELDS,
  });

  async function openReader(): Promise<StoreReader> {
    const store = await openLmdbStoreReader(options());
    handles.push(store);
    return store;
  }

  async function openWriter(): Promise<HistoryStore> {
    const store = await openBothSides(options());
    handles.push(store);
    return store;
  }

  function started(remote: RemoteStore): RemoteStore {
    remotes.push(remote);
    return remote;
  }

  /** Compares everything that the blocks ever brought in the store and in the model. */
  async function expectSame(store: HistoryReader, model: ModelHistory, blocks: readonly BlockRecords[]): Promise<void> {
    const comparison = new Comparison(store, model);
    await comparison.status();
    await comparison.sampledActions(60, 1);
    await comparison.permissionsOf(blocks);
    await comparison.abisOf(model.committedBlocks.slice(-5));
    for (const { position } of blocks) await comparison.block({ id: position.id });
  }

  beforeAll(buildStore, 120_000);

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'data-directory-'));
    directory = path.join(folder, 'data');
  });

  afterEach(async () => {
    for (const remote of remotes.splice(0)) await remote.kill();
    for (const store of handles.splice(0)) await store.close();
    rmSync(folder, { recursive: true });
  });

  it.each(['inProcess', 'inThread'] as const)('has one writer at a time, until that one dies (%s)', async (where) => {
    const holder = started(RemoteStore[where]());
    await holder.openWriter(options());
    await expect(openWriter()).rejects.toMatchObject({ code: 'STORE_IN_USE' });
    const second = started(RemoteStore.inProcess());
    await expect(second.openWriter(options())).rejects.toMatchObject({ code: 'STORE_IN_USE' });
    await holder.kill();
    await second.openWriter(options());
    await expect(openWriter()).rejects.toMatchObject({ code: 'STORE_IN_USE' });
  });

  it('admits one of many writers that start after one died', async () => {
    const holder = started(RemoteStore.inProcess());
    await holder.openWriter(options());
    await holder.kill();
    const many = await Promise.allSettled(Array.from({ length: 5 }, () => openWriter()));
    expect(many.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('loses the old sockets of dead writers', async () => {
    const holder = started(RemoteStore.inProcess());
    await holder.openWriter(options());
    await holder.kill();
    const sockets = (): string[] => readdirSync(directory).filter((name) => name.endsWith('.sock'));
    const [left] = sockets();
    const anHourAgo = Date.now() / 1000 - 3600;
    utimesSync(path.join(directory, left ?? ''), anHourAgo, anHourAgo);
    const store = await openWriter();
    expect(sockets()).toHaveLength(1);
    expect(sockets()).not.toContain(left);
    await store.close();
    expect(sockets()).toEqual([]);
  });

  it('may have a path longer than a socket address', async () => {
    directory = path.join(folder, 'deep'.repeat(20), 'down'.repeat(20));
    const store = await openWriter();
    await expect(openWriter()).rejects.toMatchObject({ code: 'STORE_IN_USE' });
    await store.close();
    await openWriter();
  });

  it('admits a writer after another has closed it or failed to open it', async () => {
    const store = await openWriter();
    await store.close();
    await (await openWriter()).close();
    await openWriter();
  });

  it('holds whole batches only, whenever its writer is killed', async () => {
    const chain = new SyntheticChain();
    const model = new ModelHistory();
    const all: BlockRecords[] = [];
    for (let round = 0; round < 6; round++) {
      const writer = started(RemoteStore.inProcess());
      await writer.openWriter(options());
      const death = new Promise<void>((resolve) => {
        setTimeout(() => resolve(writer.kill()), 15 + 25 * round);
      });
      let batch: BlockRecords[] = [];
      try {
        for (let index = 0; ; index++) {
          // Every third batch is a fork.
          const parent = model.committedBlocks.at(index % 3 === 2 ? -3 : -1);
          batch = chain.blocks(
            parent,
            Array.from({ length: 4 }, () => blockPlan(`w${(all.length % 5) + 1}`)),
          );
          all.push(...batch);
          await writer.call('writeBlocks', batch);
          await model.writeBlocks(batch);
        }
      } catch {
        await death;
      }
      const store = await openBothSides(options());
      const { committed } = await store.getStatus();
      // The state before the batch, after it, or after undoing the fork that it begins with.
      const whole = [model.committedBlocks.at(-1)?.position, batch.at(-1)?.position, batch[0]?.previous];
      expect(whole).toContainEqual(committed);
      await store.writeBlocks(batch);
      await model.writeBlocks(batch);
      await expectSame(store, model, all.slice(-20));
      await store.close();
    }
    expect(model.committedBlocks.length).toBeGreaterThan(10);
  });

  it('refuses a reader that comes before the first writer, and the reader creates nothing', async () => {
    const reader = started(RemoteStore.inProcess());
    const early = { code: 'STORE_UNAVAILABLE', retryable: true };
    await expect(reader.openReader(options())).rejects.toMatchObject(early);
    await expect(openReader()).rejects.toMatchObject(early);
    await openWriter();
    await reader.openReader(options());
    expect((await reader.call('getStatus')).committed).toBeUndefined();
  });

  it('shows commits to readers in other processes without reopening, however it grows', async () => {
    const store = await openWriter();
    const reader = started(RemoteStore.inProcess());
    await reader.openReader(options());
    const chain = new SyntheticChain();
    let parent: BlockRecords | undefined;
    for (let round = 0; round < 5; round++) {
      const blocks = chain.blocks(parent, Array<BlockPlan>(8).fill(blockPlan('grow', 1_500)));
      const status = await store.writeBlocks(blocks);
      expect(await reader.call('getStatus')).toEqual(status);
      const latest = await reader.call('getBlockTraces', 'latest');
      expect(latest.transactions[0]?.actions).toHaveLength(1_500);
      parent = blocks.at(-1);
    }
  });

  it('can be read in a process before the same process opens it for writing', async () => {
    await (await openWriter()).close();
    const reader = await openReader();
    const writer = await openWriter();
    const blocks = new SyntheticChain().blocks(undefined, [blockPlan('one')]);
    const status = await writer.writeBlocks(blocks);
    await writer.close();
    expect(await reader.getStatus()).toEqual(status);
    expect('writeBlocks' in reader).toBe(false);
  });

  it('stays consistent when the disk is full, and its writer continues when there is room', async () => {
    const chain = new SyntheticChain();
    const writer = started(RemoteStore.inProcess(4_096));
    await writer.openWriter(options());
    const first = chain.blocks(undefined, [blockPlan('one')]);
    await writer.call('writeBlocks', first);
    const tooMuch = chain.blocks(first[0], Array<BlockPlan>(60).fill(blockPlan('two', 1_000)));
    const refused = { code: 'STORE_UNAVAILABLE', retryable: true };
    await expect(writer.call('writeBlocks', tooMuch)).rejects.toMatchObject(refused);
    const model = ModelHistory.of(first);
    const storeId = expect.any(String) as string;
    expect(await writer.call('getStatus')).toEqual({ ...(await model.getStatus()), storeId });
    // These use names that the refused batch was the first to bring.
    const later = chain.blocks(first[0], [blockPlan('two'), blockPlan('three')]);
    await writer.call('writeBlocks', later);
    await model.writeBlocks(later);
    await writer.kill();
    const store = await openWriter();
    await expectSame(store, model, [...first, ...later]);
    const fork = [...tooMuch.slice(0, 10)];
    await store.writeBlocks(fork);
    await model.writeBlocks(fork);
    await expectSame(store, model, [...first, ...later]);
  });

  it('stays consistent when a batch holds a change that cannot be written', async () => {
    const store = await openWriter();
    const chain = new SyntheticChain();
    const first = chain.blocks(undefined, [blockPlan('one')]);
    await store.writeBlocks(first);
    const next = chain.blocks(first[0], [blockPlan('two', 1_100), blockPlan('three'), blockPlan('four')]);
    const [good, , last] = next as [BlockRecords, BlockRecords, BlockRecords];
    const bad = { ...last, abiChanges: [{ account: 'NOT A NAME', sequence: 1, abi: Buffer.alloc(1) }] };
    await expect(store.writeBlocks([...next.slice(0, 2), bad])).rejects.toMatchObject({ code: 'INVALID_NAME' });
    const model = ModelHistory.of(first);
    await expectSame(store, model, next);
    const other = chain.blocks(good, [blockPlan('three'), blockPlan('two')]);
    await store.writeBlocks([good, ...other]);
    await model.writeBlocks([good, ...other]);
    await expectSame(store, model, [...first, ...next, ...other]);
  });

  it('rejects calls after it was closed', async () => {
    const store = await openWriter();
    const writing = store.writeBlocks(new SyntheticChain().blocks(undefined, [blockPlan('one')]));
    await store.close();
    expect((await writing).committed).toBeDefined();
    await expect(store.getStatus()).rejects.toMatchObject({ code: 'STOPPED' });
    await expect(store.writeBlocks([])).rejects.toMatchObject({ code: 'STOPPED' });
  });
});
