import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@elastic/elasticsearch';
import type { BlockRecords } from '@antelope-history/records';
import type { StoreWriter } from '@antelope-history/store';
import { describeWithService } from '@antelope-history/servers';
import {
  ABIS,
  type BlockPlan,
  CONTRACT_DATA_FIELDS,
  DATA,
  expectFieldRanges,
  expectFieldsBelowFirst,
  SimulatedReader,
} from '@antelope-history/store/contract';
import { indexTemplates } from '../src/indices/index-templates';
import { TemporaryStore } from './temporary-store';

describeWithService(['elasticsearch'], (url) => {
  describe('data fields of the shared store', () => {
    it('are indexed from the block on before which they were added, in indices of an earlier version, too', async () => {
      const store = await TemporaryStore.open(url);
      const client = new Client({ node: url });
      try {
        await createOlderIndex(client, store);
        await expectFieldRanges({
          openWriter: (dataFields) => store.openWriter({ dataFields }),
          openReader: () => store.openReader(),
        });
      } finally {
        await client.close();
        await store.dispose();
      }
    });

    it('are indexed from the first block on again when a fork begins below it', async () => {
      const store = await TemporaryStore.open(url);
      try {
        await expectFieldsBelowFirst({
          openWriter: (dataFields) => store.openWriter({ dataFields }),
          openReader: () => store.openReader(),
        });
      } finally {
        await store.dispose();
      }
    });

    it('are postponed until another writer has written their ABI', () =>
      withTwoWriters(url, 20_000, async ({ one, other, sets, pays }) => {
        const postponed: BlockRecords[] = [];
        await other.writeBlocks(pays, (block) => postponed.push(block));
        expect(postponed).toEqual(pays);
        await one.writeBlocks(sets);
        await other.writeBlocks(postponed.splice(0), (block) => postponed.push(block));
        expect(postponed).toEqual([]);
        expect((await other.maintain()).committed).toEqual(pays.at(-1)?.position);
      }));

    it('are decoded with the known ABI when no writer writes the next one in time, and again when it was wrong', () =>
      withTwoWriters(url, 300, async ({ one, other, sets, pays }) => {
        const postponed: BlockRecords[] = [];
        const postpone = (block: BlockRecords): unknown => postponed.push(block);
        await other.writeBlocks(pays, postpone);
        expect(postponed).toEqual(pays);
        await sleep(400);
        await other.writeBlocks(postponed.splice(0), postpone);
        expect(postponed).toEqual([]);
        await expect(one.writeBlocks(sets)).rejects.toMatchObject({ code: 'ABI_OUTDATED' });
      }));

    it('are decoded again when an indexer without these fields has set another ABI', () =>
      withTwoWriters(url, 0, async ({ other, sets, pays, openWriter }) => {
        await other.writeBlocks(pays, () => undefined);
        const without = await openWriter([]);
        await expect(without.writeBlocks(sets)).rejects.toMatchObject({ code: 'ABI_OUTDATED' });
        const next = await openWriter();
        const outdated = { code: 'ABI_OUTDATED', message: expect.stringContaining('an ABI of alice') as unknown };
        await expect(next.maintain()).rejects.toMatchObject(outdated);
        expect((await next.getProgress()).status.committed).toEqual(sets.at(-1)?.position);
      }));

    it('are written at once by a new process that continues from the committed block', () =>
      withTwoWriters(url, 20_000, async ({ one, sets, pays, reader, openWriter }) => {
        await one.writeBlocks([...sets, ...pays]);
        const late = await openWriter();
        reader.restart((await late.getProgress()).positions);
        reader.grow([PAID, PAID]);
        const postponed: BlockRecords[] = [];
        await late.writeBlocks(reader.read(2), (block) => postponed.push(block));
        expect(postponed).toEqual([]);
        expect((await late.maintain()).committed).toEqual(reader.chain.at(-1)?.position);
      }));

    it('are postponed in a new process until all blocks before them are committed', () =>
      withTwoWriters(url, 20_000, async ({ one, sets, pays, openWriter }) => {
        const late = await openWriter();
        const postponed: BlockRecords[] = [];
        await late.writeBlocks(pays, (block) => postponed.push(block));
        expect(postponed).toEqual(pays);
        await one.writeBlocks(sets);
        await late.writeBlocks(postponed.splice(0), (block) => postponed.push(block));
        expect(postponed).toEqual([]);
      }));
  });
});

const TRANSFER = { account: 'alice', name: 'transfer', actor: 'bob', notified: [], creatorDistance: 0, dataBytes: 0 };
const PAID: BlockPlan = { transactions: [[{ ...TRANSFER, data: DATA[1] }]], abis: [], permissions: [] };

interface TwoWriters {
  reader: SimulatedReader;
  one: StoreWriter;
  other: StoreWriter;
  /** The block that sets the contract's second ABI, and the three blocks after it. */
  sets: BlockRecords[];
  pays: BlockRecords[];
  openWriter(dataFields?: readonly string[]): Promise<StoreWriter>;
}

/** Runs a test with two writers that know the first ABI of a contract. */
async function withTwoWriters(
  url: string,
  postponeMs: number,
  body: (writers: TwoWriters) => Promise<void>,
): Promise<void> {
  const store = await TemporaryStore.open(url);
  try {
    const openWriter = (dataFields = CONTRACT_DATA_FIELDS): Promise<StoreWriter> =>
      store.openWriter({ dataFields }, {}, postponeMs);
    const reader = new SimulatedReader();
    const [one, other] = [await openWriter(), await openWriter()];
    const setting = (abi: Buffer | undefined): BlockPlan => ({
      ...PAID,
      abis: [{ account: 'alice', abi: abi as Buffer }],
    });
    reader.grow([setting(ABIS[0]), PAID, PAID]);
    const [first, second, third] = reader.read(3) as [BlockRecords, BlockRecords, BlockRecords];
    await one.writeBlocks([first, second]);
    await other.writeBlocks([third]);
    reader.grow([setting(ABIS[1]), PAID, PAID, PAID]);
    await body({ reader, one, other, sets: reader.read(1), pays: reader.read(3), openWriter });
  } finally {
    await store.dispose();
  }
}

/** The index of the first range as a version without data fields created it. */
async function createOlderIndex(client: Client, { names }: TemporaryStore): Promise<void> {
  const { template } = indexTemplates(names.prefix, { replicas: 0, layout: 'doc-values' })[names.of('actions')] ?? {};
  const { data: _data, ...properties } = template?.mappings.properties ?? {};
  await client.indices.deleteIndexTemplate({ name: names.of('actions') });
  await client.indices.create({
    index: names.ranged('actions', 100, { blocks_per_index: 128 }),
    ...(template && { settings: template.settings }),
    mappings: { ...template?.mappings, properties },
    aliases: { [names.of('actions')]: {} },
  });
}
