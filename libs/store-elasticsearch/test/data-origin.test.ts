import { Client } from '@elastic/elasticsearch';
import type { BlockRecords } from '@antelope-history/records';
import { describeWithService } from '@antelope-history/servers';
import type { StoreWriter } from '@antelope-history/store';
import {
  ABIS,
  type BlockPlan,
  Comparison,
  CONTRACT_DATA_FIELDS,
  DATA,
  ModelHistory,
  SimulatedReader,
} from '@antelope-history/store/contract';
import { migrateElasticsearch } from '../src/migrate';
import { FaultyServer, type SeenRequest } from './faulty-server';
import { TemporaryStore } from './temporary-store';

jest.setTimeout(60_000);

const TRANSFER = { account: 'alice', name: 'transfer', actor: 'bob', notified: [], creatorDistance: 0, dataBytes: 0 };
const PAID: BlockPlan = { transactions: [[{ ...TRANSFER, data: DATA[1] }]], abis: [], permissions: [] };
const FEWER_FIELDS = CONTRACT_DATA_FIELDS.slice(0, 1);

/**
 * The documents of a block can be written by a process that knows other ABIs, or indexes other fields, than the one that ends the
 * write.
 */
describeWithService(['elasticsearch'], (url = '') => {
  describe('data of documents that another process has written', () => {
    it('replace nothing that was decoded with certainty, when the writer died before its journal entry', () =>
      withWriter(url, async ({ store, server, writer, reader }) => {
        const blocks = readBlocks(reader);
        await writer.writeBlocks(blocks.slice(0, 2));
        // Block 103 sets an ABI itself and is never postponed: the writer takes the ABI before it to be that of block 100.
        await writeWithoutJournal(store, server, blocks.slice(3, 4));
        await writer.writeBlocks(blocks.slice(2));
        await expectModel(store, reader);
      }));

    it('are written again when other data fields were indexed', () =>
      withWriter(url, async ({ store, server, writer, reader }) => {
        const blocks = readBlocks(reader);
        await writer.writeBlocks(blocks.slice(0, 3));
        await writeWithoutJournal(store, server, blocks.slice(3), FEWER_FIELDS);
        const next = await store.openWriter();
        await expect(next.writeBlocks(blocks.slice(3))).rejects.toMatchObject({ code: 'ABI_OUTDATED' });
        expect((await next.getProgress()).status.committed).toEqual(blocks[2]?.position);
        await refetch(next, reader);
        await expectModel(store, reader);
      }));

    it('are committed up to the block that was decoded otherwise', () =>
      withWriter(url, async ({ store, server, reader }) => {
        const blocks = readBlocks(reader);
        await writeWithoutJournal(store, server, blocks.slice(4), FEWER_FIELDS);
        const next = await store.openWriter();
        await expect(next.writeBlocks(blocks)).rejects.toMatchObject({ code: 'ABI_OUTDATED' });
        expect((await next.getProgress()).status.committed).toEqual(blocks[3]?.position);
        await refetch(next, reader);
        await expectModel(store, reader);
      }));

    it('stay when a message of a later epoch is written late, by a process that knows an old progress', () =>
      withWriter(url, async ({ store, server, writer, reader }) => {
        const blocks = readBlocks(reader);
        await writer.writeBlocks(blocks.slice(0, 2));
        reader.restart((await writer.getProgress()).positions);
        const [, setsAgain] = reader.read(2);
        const late = await store.openWriter({ urls: [server.url] });
        const { arrived, resume } = server.suspend(isOfActions);
        const writing = late.writeBlocks([setsAgain as BlockRecords]);
        await arrived;
        await writer.writeBlocks(blocks.slice(2));
        resume();
        await writing;
        await refresh(url, store);
        await expectModel(store, reader);
      }));

    it.each([
      ['a fork can still replace', false],
      ['are irreversible', true],
    ])('stay when a process with fewer data fields writes them late, in blocks that %s', (_, isIrreversible) =>
      withWriter(url, async ({ store, server, reader }) => {
        const blocks = readBlocks(reader, isIrreversible);
        // Cleaning would begin a write term.
        const open = () => store.openWriter({}, { cleanBlocks: Infinity });
        const writer = await open();
        await writer.writeBlocks(blocks.slice(0, 4));
        reader.restart((await writer.getProgress()).positions);
        const again = reader.read(Infinity);
        const late = await store.openWriter({ urls: [server.url], dataFields: FEWER_FIELDS });
        const { arrived, resume } = server.suspend(isOfActions);
        const writing = late.writeBlocks(again);
        await arrived;
        await (await open()).writeBlocks(blocks.slice(4));
        resume();
        await expect(writing).rejects.toMatchObject({ code: 'DATA_FIELDS_DIFFER' });
        await refresh(url, store);
        await expectModel(store, reader);
      }),
    );

    it('stay when a process without a field writes them late that a migration has added since', () =>
      withWriter(url, async ({ store, server, reader }) => {
        const blocks = readBlocks(reader);
        const writer = await store.openWriter({ dataFields: [] }, { cleanBlocks: Infinity });
        await writer.writeBlocks(blocks.slice(0, 4));
        reader.restart((await writer.getProgress()).positions);
        const late = await store.openWriter({ urls: [server.url], dataFields: [] });
        const { arrived, resume } = server.suspend(isOfActions);
        const writing = late.writeBlocks(reader.read(Infinity));
        await arrived;
        await writer.writeBlocks(blocks.slice(4));
        await migrateElasticsearch({ ...store.optionsWith({}), signal: new AbortController().signal });
        resume();
        await expect(writing).rejects.toMatchObject({ code: 'DATA_FIELDS_DIFFER' });
        await refresh(url, store);
        await expectModel(store, reader);
      }));

    it('are of one process when the one that has begun to index other fields died at once', () =>
      withWriter(url, async ({ store, server, writer, reader }) => {
        const blocks = readBlocks(reader);
        await writer.writeBlocks(blocks.slice(0, 4));
        reader.restart((await writer.getProgress()).positions);
        const late = await store.openWriter({ urls: [server.url] });
        const { arrived, resume } = server.suspend(isOfActions);
        const writing = late.writeBlocks(reader.read(Infinity));
        await arrived;
        const holding = server.fault;
        server.fault = (seen) => (seen.path.startsWith('/_aliases') ? { status: 403 } : holding(seen));
        const opening = store.openWriter({ urls: [server.url], dataFields: FEWER_FIELDS });
        await expect(opening).rejects.toMatchObject({ code: 'ACCESS_REFUSED' });
        server.fault = holding;
        const next = await store.openWriter({ dataFields: FEWER_FIELDS }, { cleanBlocks: Infinity });
        await next.writeBlocks(blocks.slice(4));
        resume();
        await expect(writing).rejects.toMatchObject({ code: 'DATA_FIELDS_DIFFER' });
        const { committed, dataFields } = (await next.getProgress()).status;
        expect([committed, Object.keys(dataFields)]).toEqual([blocks[4]?.position, FEWER_FIELDS]);
      }));

    it('are decoded with the ABI that the receipts show, though a block before has used two', () =>
      withWriter(url, async ({ store, writer, reader }) => {
        const early = { ...TRANSFER, account: 'bob' };
        const setsBefore: BlockPlan = {
          transactions: [[early], ...PAID.transactions],
          abis: [{ account: 'alice', abi: ABIS[1] as Buffer }],
          permissions: [],
        };
        reader.grow([settingAbi(ABIS[0]), PAID, setsBefore, PAID, PAID]);
        makeAllIrreversible(reader);
        const blocks = reader.read(5);
        for (const block of blocks.slice(0, 3)) await writer.writeBlocks([block]);
        // This one is written before the block before it: only its receipts show which ABI it needs.
        await writer.writeBlocks(blocks.slice(4));
        await writer.writeBlocks(blocks.slice(3, 4));
        await expectModel(store, reader);
      }));

    it('of committed blocks are not written again', () =>
      withWriter(url, async ({ store, server, writer, reader }) => {
        await writer.writeBlocks(readBlocks(reader));
        const other = await store.openWriter({ urls: [server.url], dataFields: FEWER_FIELDS });
        reader.restart([]);
        await other.writeBlocks(reader.read(Infinity));
        expect(server.seen.filter(isOfActions)).toEqual([]);
        await expectModel(store, reader);
      }));
  });
});

interface Writers {
  store: TemporaryStore;
  /** Between the server and the writers that fail. */
  server: FaultyServer;
  writer: StoreWriter;
  reader: SimulatedReader;
}

async function withWriter(url: string, body: (writers: Writers) => Promise<void>): Promise<void> {
  const server = await FaultyServer.start(url);
  const store = await TemporaryStore.open(url);
  try {
    await body({ store, server, writer: await store.openWriter(), reader: new SimulatedReader() });
  } finally {
    await store.dispose();
    await server.stop();
  }
}

/** Blocks 100 to 104. The ABIs of blocks 100 and 102 read the same data as different values; block 103 sets the first one again. */
function readBlocks(reader: SimulatedReader, isIrreversible = false): BlockRecords[] {
  reader.grow([settingAbi(ABIS[0]), PAID, settingAbi(ABIS[1]), settingAbi(ABIS[0]), PAID]);
  if (isIrreversible) makeAllIrreversible(reader);
  return reader.read(5);
}

function makeAllIrreversible(reader: SimulatedReader): void {
  const end = reader.chain.at(-1) as BlockRecords;
  reader.chain = reader.chain.map((block) => ({ ...block, lastIrreversible: end.position }));
}

/** A block whose payment precedes the ABI that it sets. */
function settingAbi(abi: Buffer | undefined): BlockPlan {
  return { ...PAID, abis: [{ account: 'alice', abi: abi as Buffer }] };
}

/** Writes the documents of blocks by a writer that dies before it writes their journal entries. */
async function writeWithoutJournal(
  store: TemporaryStore,
  server: FaultyServer,
  blocks: BlockRecords[],
  dataFields = CONTRACT_DATA_FIELDS,
): Promise<void> {
  const dying = await store.openWriter({ urls: [server.url], dataFields });
  const reached = new Promise<void>((resolve) => {
    server.fault = (seen) => {
      if (!isOfJournal(seen)) return 'none';
      resolve();
      return 'silence';
    };
  });
  const writing = dying.writeBlocks(blocks);
  const ended = expect(writing).rejects.toMatchObject({ name: 'HistoryError' });
  await reached;
  await dying.close();
  await ended;
}

function isOfJournal({ path, body }: SeenRequest): boolean {
  return path.startsWith('/_bulk') && body.includes('-journal"');
}

function isOfActions({ path, body }: SeenRequest): boolean {
  return path.startsWith('/_bulk') && body.includes('-actions-');
}

async function refetch(writer: StoreWriter, reader: SimulatedReader): Promise<void> {
  reader.restart((await writer.getProgress()).positions);
  await writer.writeBlocks(reader.read(Infinity));
}

/** What a process has written late is not visible yet. */
async function refresh(url: string, { names }: TemporaryStore): Promise<void> {
  const client = new Client({ node: url });
  await client.indices.refresh({ index: `${names.prefix}-*` });
  await client.close();
}

async function expectModel(store: TemporaryStore, reader: SimulatedReader): Promise<void> {
  await store.store.maintain();
  const comparison = new Comparison(store.store, ModelHistory.of(reader.chain));
  await comparison.status();
  await comparison.everyDataValue();
}
