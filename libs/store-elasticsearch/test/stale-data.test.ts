import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@elastic/elasticsearch';
import { type DataField, parseDataField } from '@antelope-history/data-fields';
import type { BlockRecords } from '@antelope-history/records';
import { describeWithService } from '@antelope-history/servers';
import type { StoreWriter } from '@antelope-history/store';
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
import { type ElasticsearchOptions, openElasticsearchStoreRepairer } from '../src/writer';
import { FaultyServer, type SeenRequest } from './faulty-server';
import { TemporaryStore } from './temporary-store';

jest.setTimeout(60_000);

const TRANSFER = { account: 'alice', name: 'transfer', actor: 'bob', notified: [], creatorDistance: 0, dataBytes: 0 };
const PAID: BlockPlan = { transactions: [[{ ...TRANSFER, data: DATA[1] }]], abis: [], permissions: [] };
const [RIGHT, WRONG, , INVALID] = ABIS as [Buffer, Buffer, Buffer, Buffer];
/** The ABI is in force from the second action on. */
const setting = (abi: Buffer): BlockPlan => ({
  ...PAID,
  transactions: [...PAID.transactions, ...PAID.transactions],
  abis: [{ account: 'alice', abi }],
});
/** So few that a repair of a range takes several requests. */
const BULK_BYTES = 1_000;
/** Blocks after the one that is repaired: some of them are cleaned, in two ranges. */
const LATER = 45;

describeWithService(['elasticsearch'], (url = '') => {
  describe('a repair of an ABI', () => {
    let store: TemporaryStore;
    let server: FaultyServer;
    let writer: StoreWriter;
    let reader: SimulatedReader;
    beforeEach(async () => {
      server = await FaultyServer.start(url);
      store = await TemporaryStore.open(url, { blocksPerIndex: 20, bulkBytes: BULK_BYTES });
      writer = await store.openWriter();
      reader = new SimulatedReader();
    });
    afterEach(async () => {
      await store.dispose();
      await server.stop();
    });

    /** Grows the chain, and makes all but its newest blocks irreversible. */
    function grow(plans: BlockPlan[]): void {
      reader.grow(plans);
      reader.makeIrreversible(10);
    }

    async function write(replace: (block: BlockRecords) => BlockRecords = (block) => block): Promise<void> {
      await writer.writeBlocks(reader.read(Infinity).map(replace));
      await writer.maintain();
    }

    const repair = (blockNum: number, through = url): Promise<void> => repairAll([blockNum], { urls: [through] });

    async function repairAll(blockNums: number[], options: Partial<ElasticsearchOptions> = {}): Promise<void> {
      const repairer = await openElasticsearchStoreRepairer(store.optionsWith(options));
      const blocks = reader.chain.filter(({ position }) => blockNums.includes(position.num));
      await repairer.repairBlocks(blocks).finally(() => repairer.close());
    }

    /** No write term begins from then on, except those of repairs, until other blocks become irreversible. */
    async function writeUntilClean(): Promise<void> {
      const client = new Client({ node: url });
      const progress = new ProgressReader(client, store.names);
      for (;;) {
        // Cleaning follows a commit that does not wait for it, and fails when the progress changes.
        reader.grow([PAID]);
        await write();
        await sleep(50);
        const { clean_up_to: clean, last_irreversible: irreversible } = (await progress.read())?.progress ?? {};
        if (clean === irreversible?.num) break;
      }
      await client.close();
    }

    async function refresh(): Promise<void> {
      const client = new Client({ node: url });
      await client.indices.refresh({ index: `${store.names.prefix}-*` });
      await client.close();
    }

    async function expectModel(): Promise<void> {
      await store.store.maintain();
      const comparison = new Comparison(store.store, ModelHistory.of(reader.chain));
      await comparison.status();
      await comparison.everyDataValue();
      // Values that the wrong ABIs gave.
      await comparison.everyDataValue(ModelHistory.of(reader.chain.map((block) => withAbi(block, WRONG))));
    }

    /** Writes a chain of which block 101, or blocks of other numbers, set an ABI that is stored wrong. */
    async function writeWrong(
      abi: Buffer,
      later: BlockPlan[] = Array<BlockPlan>(LATER).fill(PAID),
      blockNums = [101],
    ): Promise<void> {
      const stored = (block: BlockRecords): BlockRecords =>
        blockNums.includes(block.position.num) ? withAbi(block, abi) : block;
      grow([setting(WRONG), setting(RIGHT)]);
      await write(stored);
      for (let at = 0; at < later.length; at += 15) {
        grow(later.slice(at, at + 15));
        await write(stored);
      }
    }

    it.each([
      ['another one', WRONG],
      ['an invalid one', INVALID],
    ])('that was stored as %s moves the actions of later blocks to their right values', async (_, wrong) => {
      await writeWrong(wrong);
      await repair(101);
      await expectModel();
    });

    it('and of a later one at once moves the actions of the blocks after each', async () => {
      const later = Array.from({ length: LATER }, (_, index) => (index === 16 ? setting(RIGHT) : PAID));
      await writeWrong(WRONG, later, [101, 118]);
      await repairAll([101, 118]);
      await expectModel();
    });

    it('that was stored in another order than the other one of its block moves the actions of later blocks', async () => {
      const others = Array.from({ length: 2 }, () => [{ ...TRANSFER, account: 'bob' }]);
      const twice = { ...PAID, transactions: others, abis: [WRONG, RIGHT].map((abi) => ({ account: 'alice', abi })) };
      grow([setting(RIGHT), twice, ...Array<BlockPlan>(15).fill(PAID)]);
      await write((block) => (block.position.num === 101 ? withAbisReversed(block) : block));
      grow([PAID]);
      await write();
      await repair(101);
      await expectModel();
    });

    it.each([
      [103, 101],
      [101, 103],
    ])(
      'that was not stored, or stored without being set, moves them, too, and none after the next ABI (%i, %i)',
      async (...blockNums) => {
        grow([setting(WRONG), setting(RIGHT), PAID, PAID, PAID, PAID]);
        await write((block) => {
          if (block.position.num === 101) return { ...block, abiChanges: [] };
          const abiChanges = [{ account: 'alice', abi: WRONG, sequence: block.transactions[0]?.firstSequence ?? 0 }];
          return block.position.num === 103 ? { ...block, abiChanges } : block;
        });
        grow([setting(WRONG), ...Array<BlockPlan>(20).fill(PAID)]);
        await write();
        grow([PAID]);
        await write();
        for (const blockNum of blockNums) await repair(blockNum);
        await expectModel();
      },
    );

    it('whose bytes were damaged moves what was decoded with them', async () => {
      const client = new Client({ node: url });
      await writeWrong(RIGHT, []);
      const query = { term: { block_num: 101 } };
      const { hits } = await client.search({ index: store.names.abis, query });
      const { _index: index, _id: id = '', _source: source } = hits.hits[0] ?? { _index: '' };
      const document = { ...(source as object), abi: INVALID.toString('base64') };
      await client.index({ index, id, document, refresh: true });
      await client.close();
      writer = await store.openWriter();
      reader.restart((await writer.getProgress()).positions);
      grow(Array<BlockPlan>(30).fill(PAID));
      await write();
      grow([PAID]);
      await write();
      await repair(101);
      grow([PAID, PAID]);
      await write();
      await expectModel();
    });

    it('is known to a running writer, and blocks that were decoded before it are refused', async () => {
      await writeWrong(WRONG);
      grow([PAID, PAID, PAID]);
      const [next, ...decoded] = reader.read(3) as [BlockRecords, ...BlockRecords[]];
      await writer.writeBlocks(decoded);
      await repair(101);
      await expect(writer.writeBlocks([next])).rejects.toMatchObject({ code: 'ABI_OUTDATED' });
      reader.restart((await writer.getProgress()).positions);
      await write();
      await expectModel();
    });

    it.each([
      ['before it', false],
      ['while it replaced the ABI', true],
    ])('stays when a writer goes on that was suspended %s with blocks that are committed since', async (_, isBegun) => {
      await writeWrong(WRONG);
      await writeUntilClean();
      const held = await FaultyServer.start(url);
      const replacing = held.suspend(isOfActions);
      const begun = isBegun ? repair(101, held.url) : undefined;
      if (begun) await replacing.arrived;
      reader.grow([PAID, PAID]);
      const blocks = reader.read(2);
      reader.restart((await writer.getProgress()).positions);
      const again = reader.read(2);
      const late = await store.openWriter({ urls: [server.url] });
      const { arrived, resume } = server.suspend(isOfActions);
      const writing = late.writeBlocks(again);
      await arrived;
      await writer.writeBlocks(blocks);
      replacing.resume();
      await (begun ?? repair(101));
      await held.stop();
      resume();
      await writing;
      await refresh();
      await expectModel();
    });

    it('moves the actions of a field that is first indexed while it replaces the ABI', async () => {
      const field: DataField = parseDataField('alice:transfer.to') as DataField;
      const begin = await store.openWriter({ dataFields: [] });
      grow([setting(WRONG), setting(RIGHT), PAID]);
      await begin.writeBlocks(
        reader.read(Infinity).map((block) => (block.position.num === 101 ? withAbi(block, WRONG) : block)),
      );
      for (let turn = 0; turn < 2; turn++) {
        grow(Array<BlockPlan>(15).fill(PAID));
        await begin.writeBlocks(reader.read(Infinity));
      }
      grow([PAID, PAID]);
      const blocks = reader.read(2);
      const dataFrom = blocks[0]?.position.num as number;
      const { arrived, resume } = server.suspend(
        ({ path, body }) => path.startsWith('/_bulk') && body.includes('-abis-'),
      );
      const repairing = repair(101, server.url);
      await arrived;
      const other = await store.openWriter({ dataFields: [field.key] });
      await other.writeBlocks(blocks);
      resume();
      await repairing;
      const { status, rows } = await store.store.getActions({
        ...EVERY_ACTION,
        data: [{ fields: [field], text: 'bob' }],
        after: { blockNum: dataFrom },
      });
      expect(status.dataFields).toEqual({ [field.key]: dataFrom });
      expect(rows.map(({ blockNum }) => blockNum)).toEqual(blocks.map(({ position }) => position.num));
    });

    it('that is killed is continued when another one begins', async () => {
      await writeWrong(WRONG);
      let updates = 0;
      server.fault = ({ body }) => (body.includes('"if_seq_no"') && ++updates > 1 ? { status: 403 } : 'none');
      await expect(repair(101, server.url)).rejects.toMatchObject({ name: 'HistoryError' });
      await (await openElasticsearchStoreRepairer(store.optionsWith({}))).close();
      await expectModel();
    });

    it('that is killed when it has replaced the ABI, and no action of its block, is continued with these', async () => {
      await writeWrong(WRONG);
      server.fault = (seen) => (isOfActions(seen) ? { status: 403 } : 'none');
      // Each document is a request of its own, and all are sent at once.
      const options = { urls: [server.url], bulkBytes: 1, bulkConcurrency: 10 };
      await expect(repairAll([101], options)).rejects.toMatchObject({ code: 'ACCESS_REFUSED' });
      await (await openElasticsearchStoreRepairer(store.optionsWith({}))).close();
      await refresh();
      await expectModel();
    });

    it('that is killed is continued when an index with such actions was deleted since', async () => {
      await writeWrong(WRONG);
      server.fault = ({ body }) =>
        body.includes('"if_seq_no"') && body.includes('"record"') ? { status: 403 } : 'none';
      await expect(repair(101, server.url)).rejects.toMatchObject({ name: 'HistoryError' });
      const client = new Client({ node: url });
      await client.indices.delete({ index: `${store.names.actions}-0000000100` });
      await client.close();
      const repairer = await openElasticsearchStoreRepairer(store.optionsWith({}), 0);
      const lost = reader.chain.filter(({ position }) => position.num < 120);
      await repairer.repairBlocks(lost).finally(() => repairer.close());
      await expectModel();
    });

    it('stays when a repair of a later block goes on that was suspended before it', async () => {
      await writeWrong(WRONG);
      const { arrived, resume } = server.suspend(isOfActions);
      const suspended = repair(105, server.url);
      await arrived;
      await repair(101);
      resume();
      await suspended;
      await refresh();
      await expectModel();
    });

    it('keeps what other processes change of an action meanwhile', async () => {
      await writeWrong(WRONG);
      let updates = 0;
      server.fault = ({ body }) =>
        body.includes('"if_seq_no"') && body.includes('"record"') && updates++ === 0 ? { until: repair(105) } : 'none';
      await repair(101, server.url);
      expect(updates).toBeGreaterThan(1);
      await expectModel();
    });
  });
});

function withAbi(block: BlockRecords, abi: Buffer): BlockRecords {
  return { ...block, abiChanges: block.abiChanges.map((change) => ({ ...change, abi })) };
}

function withAbisReversed({ abiChanges, ...block }: BlockRecords): BlockRecords {
  const abis = abiChanges.map(({ abi }) => abi).reverse();
  return { ...block, abiChanges: abiChanges.map((change, index) => ({ ...change, abi: abis[index] ?? change.abi })) };
}

function isOfActions({ path, body }: SeenRequest): boolean {
  return path.startsWith('/_bulk') && body.includes('-actions-');
}
