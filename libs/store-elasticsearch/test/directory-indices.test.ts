import { Client } from '@elastic/elasticsearch';
import { describeWithService } from '@antelope-history/servers';
import type { BlockRecords } from '@antelope-history/records';
import {
  type BlockPlan,
  Comparison,
  EVERY_ACTION,
  ModelHistory,
  SyntheticChain,
} from '@antelope-history/store/contract';
import { ProgressStore } from '../src/commit/progress-store';
import type { ProgressDocument } from '../src/indices/documents';
import { FaultyServer } from './faulty-server';
import { IndexedBlocks, NO_DATA_FIELDS } from './indexed-blocks';

jest.setTimeout(120_000);

const FIRST_BLOCK = 100;
const HOUR_MS = 3_600_000;

const PLAN: BlockPlan = {
  transactions: [[{ account: 'busy', name: 'ping', actor: 'busy', notified: [], creatorDistance: 0, dataBytes: 8 }]],
  abis: [],
  permissions: [],
};

describeWithService(['elasticsearch'], (url = '') => {
  let indexed: IndexedBlocks;
  let blocks: BlockRecords[];
  let progress: ProgressStore;

  /** The blocks before `end`, of which all are clean. */
  async function open(perRange: number, end: number): Promise<void> {
    blocks = new SyntheticChain().blocks(undefined, Array<BlockPlan>(end - FIRST_BLOCK).fill(PLAN));
    indexed = await IndexedBlocks.open(url, perRange);
    await indexed.put(blocks);
    await indexed.commit({ blocks, cleanUpTo: end - 1 });
    progress = new ProgressStore(indexed.client, indexed.names);
  }
  afterEach(() => indexed.dispose());

  async function read(): Promise<ProgressDocument> {
    return (await progress.require()).progress;
  }

  async function buildAll(): Promise<number> {
    let added = 0;
    // Without end when each attempt begins another directory.
    while (added < 200 && (await indexed.directoryBuilder().addNext())) added++;
    return added;
  }

  function directoryIndices(): Promise<string[]> {
    return indexed.client.indices.get({ index: `${indexed.names.of('directory')}-*` }).then(Object.keys);
  }

  async function compare(): Promise<void> {
    const comparison = new Comparison(indexed.openReader(), ModelHistory.of(blocks, NO_DATA_FIELDS));
    for (const skip of [0, blocks.length - 5]) {
      await comparison.actions({ ...EVERY_ACTION, account: 'busy', order: 'desc', limit: 20, skip });
    }
    for (const block of blocks) await comparison.transaction(block.transactions[0]?.id.toString('hex') ?? '');
  }

  it('begins its next index without a rewrite, and is built anew when one that it has entries in is lost', async () => {
    // The second index begins at block 64 * 2.
    await open(2, 136);
    expect(await buildAll()).toBe(18);
    expect(await directoryIndices()).toHaveLength(2);
    expect((await read()).rewrites ?? 0).toBe(0);
    await compare();

    const { directory } = await read();
    const stored = await progress.require();
    await progress.replace(stored, { ...stored.progress, directory: { rewrites: 0, to: 134 } });
    await indexed.client.indices.delete({
      index: (await directoryIndices()).filter((name) => !name.includes('0000000000')),
    });
    expect(await buildAll()).toBe(18);
    expect((await read()).directory).toEqual({ ...directory, rewrites: 1 });
    await compare();
  });

  it('has the transactions of a range of more blocks than one page', async () => {
    await open(128, 256);
    expect(await buildAll()).toBe(2);
    await compare();
  });

  it('is not set back by a process that was slower than another one', async () => {
    await open(2, 106);
    await indexed.directoryBuilder().addNext();
    const server = await FaultyServer.start(url);
    const client = new Client({ node: server.url });
    const { arrived, resume } = server.suspend(({ path }) => path.includes('_bulk'));
    const late = indexed.directoryBuilder(undefined, client).addNext();
    await arrived;
    expect(await buildAll()).toBe(2);
    const { directory } = await read();
    resume();
    // It has read the entries before the other one added to them.
    expect(await late).toBe(false);
    expect((await read()).directory).toEqual(directory);
    await compare();
    await client.close();
    await server.stop();
  });

  it('is not left to a process that has claimed another range', async () => {
    await open(2, 104);
    const stored = await progress.require();
    const claim = { range: FIRST_BLOCK + 2, at: Date.now() };
    await progress.replace(stored, { ...stored.progress, directory: { rewrites: 0, to: 0, claim } });
    expect(await indexed.directoryBuilder({ claimMs: HOUR_MS, maxTallySize: 1_000 }).addNext()).toBe(true);
  });
});
