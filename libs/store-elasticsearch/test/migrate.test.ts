import { Client } from '@elastic/elasticsearch';
import { type DataField, parseDataField } from '@antelope-history/data-fields';
import type { BlockRecords } from '@antelope-history/records';
import { describeWithService } from '@antelope-history/servers';
import {
  CONTRACT_DATA_FIELDS,
  DATA,
  ABIS,
  Comparison,
  ModelHistory,
  describeMigration,
  EVERY_ACTION,
  MigratedStore,
} from '@antelope-history/store/contract';
import { NOTHING_MISSING } from '@antelope-history/store';
import { testSize } from '@antelope-history/test-support/random';
import { ProgressStore } from '../src/commit/progress-store';
import type { ActionLayout } from '../src/indices/documents';
import { RANGED_KINDS } from '../src/indices/index-names';
import { type MigrationPlan, MigrationPlans } from '../src/indices/migration-plan';
import { ProgressReader } from '../src/indices/progress';
import { openElasticsearchStoreRepairer } from '../src/writer';
import { EarlierElasticsearchStore } from './earlier-store';
import { FaultyServer } from './faulty-server';

const TRANSFER = { account: 'alice', name: 'transfer', actor: 'bob', creatorDistance: 0, dataBytes: 8 };
const PAID = { transactions: [[{ ...TRANSFER, notified: ['bob'], data: DATA[1] }]], abis: [], permissions: [] };
const SETTING = { ...PAID, abis: [{ account: 'alice', abi: ABIS[0] as Buffer }] };

/** A store of this version lacks only fields that were configured later. */
const USUAL = ['doc-values'] as const;
/** Version 4.1.0 kept actions in `_source`; so do the generated chains. */
const LAYOUTS = testSize<readonly ActionLayout[]>({ usual: USUAL, long: ['source', ...USUAL] });

describeWithService(['elasticsearch'], (url) => {
  describeMigration({
    openEarlier: () => EarlierElasticsearchStore.open(url),
    chains: testSize({ usual: 3, long: 100 }),
    timeoutMs: 600_000,
  });

  describe.each(LAYOUTS)('the migration of a shared store with the layout %s', (layout) => {
    let earlier: EarlierElasticsearchStore;
    let store: MigratedStore;
    beforeEach(async () => {
      earlier = await EarlierElasticsearchStore.open(url, layout);
      store = new MigratedStore(earlier);
      await store.write([SETTING, ...Array<typeof PAID>(30).fill(PAID)], 0, []);
      // They make most of the blocks irreversible, and these are cleaned.
      for (let turn = 0; turn < 2; turn++) await store.write([PAID], 0, []);
      if (layout === 'source') await earlier.becomeEarlier([]);
    });
    afterEach(() => earlier.dispose());

    async function repair(blocks = store.model.committedBlocks.slice(0, 5), through = url): Promise<void> {
      const repairer = await openElasticsearchStoreRepairer(earlier.store.optionsWith({ urls: [through] }));
      await repairer.repairBlocks(blocks).finally(() => repairer.close());
    }

    /** Writes actions as they are, as another migration does with fields of its own. */
    async function rewriteActions(): Promise<void> {
      if (layout === 'doc-values') return repair();
      const client = new Client({ node: url });
      const { hits } = await client.search({ index: earlier.store.names.actions, size: 1_000 });
      const operations = hits.hits.flatMap(({ _index, _id, _source }) => [{ index: { _index, _id } }, _source ?? {}]);
      await client.bulk({ operations });
      await client.close();
    }

    async function expectRowsBy(field: string): Promise<void> {
      const client = new Client({ node: url });
      await client.indices.refresh({ index: earlier.store.names.actions });
      await client.close();
      const reader = await earlier.openReader();
      const condition = { fields: [parseDataField(field) as DataField], text: 'bob' };
      const { rows } = await reader.getActions({ ...EVERY_ACTION, data: [condition], limit: 1_000 });
      await reader.close();
      // In the first block, the action precedes the ABI.
      const [, ...expected] = store.model.committedBlocks.map(({ position }) => position.num);
      expect(rows.map(({ blockNum }) => blockNum)).toEqual(expected);
    }

    it('adds to actions that are changed between their reading and their update', async () => {
      const server = await FaultyServer.start(url);
      let changes = 0;
      server.fault = ({ path }) =>
        path.startsWith('/_bulk') && changes++ === 0 ? { until: rewriteActions() } : 'none';
      expect((await earlier.migrate(CONTRACT_DATA_FIELDS, Infinity, server.url)).isComplete).toBe(true);
      await server.stop();
      expect(changes).toBeGreaterThan(1);
      await store.compare();
    });

    it.each([
      ['an update', '/_bulk'],
      ['its plan', '/_doc/migration'],
      ['its end', '/_doc/progress'],
    ])('repeats %s when the response was lost', async (_, part) => {
      const server = await FaultyServer.start(url);
      let requests = 0;
      server.fault = ({ method, path }) =>
        method !== 'GET' && path.includes(part) && requests++ % 3 === 0 ? 'cut after' : 'none';
      expect((await earlier.migrate(CONTRACT_DATA_FIELDS, Infinity, server.url)).isComplete).toBe(true);
      await server.stop();
      expect(requests).toBeGreaterThan(0);
      expect(await store.migrate()).toEqual(NOTHING_MISSING);
      await store.compare();
    });

    it('keeps what it has added to a block that is repaired before it ends', async () => {
      expect((await store.migrate(1)).isComplete).toBe(false);
      await repair();
      expect((await store.migrate()).isComplete).toBe(true);
      await store.compare();
    });

    it('keeps what it has added to a block that a repair replaces which was suspended before, and then killed', async () => {
      // A migration by the same fields begins no write term because of them.
      await (await earlier.openWriter(CONTRACT_DATA_FIELDS)).close();
      const server = await FaultyServer.start(url);
      const { arrived, resume } = server.suspend(({ path }) => path.startsWith('/_bulk'));
      const repairer = await openElasticsearchStoreRepairer(earlier.store.optionsWith({ urls: [server.url] }));
      const repairing = repairer.repairBlocks(store.model.committedBlocks.slice(1, 2));
      await arrived;
      server.fault = () => ({ status: 403 });
      expect((await store.migrate()).isComplete).toBe(true);
      resume();
      await expect(repairing).rejects.toMatchObject({ code: 'ACCESS_REFUSED' });
      await repairer.close();
      await server.stop();
      const client = new Client({ node: url });
      await client.indices.refresh({ index: earlier.store.names.actions });
      await client.close();
      await store.compare();
    });

    it('keeps what it has added to actions that a repair decodes again, which began before', async () => {
      expect((await store.migrate(Infinity, CONTRACT_DATA_FIELDS.slice(0, 1))).isComplete).toBe(true);
      const [right] = store.model.committedBlocks as [BlockRecords];
      const abiChanges = right.abiChanges.map((change) => ({ ...change, abi: ABIS[1] as Buffer }));
      await repair([{ ...right, abiChanges }]);
      const server = await FaultyServer.start(url);
      const { arrived, resume } = server.suspend(({ path }) => /^\/[^,]+-actions-\d+\/_refresh/.test(path));
      const repairing = repair([right], server.url);
      await arrived;
      expect((await store.migrate()).isComplete).toBe(true);
      resume();
      await repairing;
      await server.stop();
      await store.compare();
    });

    it('begins again for fields that an unfinished one does not add, and continues for fewer', async () => {
      const fields = CONTRACT_DATA_FIELDS.slice(0, 2);
      const { actions } = await store.migrate(2, fields);
      expect(await store.migrate(1, fields.slice(1))).toMatchObject({ fields: fields.slice(1), isComplete: false });
      const all = await store.migrate();
      expect(all).toMatchObject({ isComplete: true, fields: [...CONTRACT_DATA_FIELDS].sort() });
      expect([actions > 0, all.actions]).toEqual([true, store.model.committedBlocks.length]);
      await store.compare();
    });

    it('loses nothing when two run at once: one of them ends with an error, and another run completes it', async () => {
      const fields = CONTRACT_DATA_FIELDS.slice(0, 2);
      const both = await Promise.allSettled(fields.map((field) => store.migrate(Infinity, [field])));
      for (const ended of both)
        if (ended.status === 'rejected') expect(ended.reason).toMatchObject({ code: 'STORE_IN_USE' });
      expect((await store.migrate()).isComplete).toBe(true);
      await store.compare();
    });

    it('leaves the plan of another one that began before it ended', async () => {
      const server = await FaultyServer.start(url);
      const client = new Client({ node: url });
      const plans = new MigrationPlans(client, earlier.store.names);
      const other: MigrationPlan = { traces: false, fields: ['alice:transfer.memo'], next_block: 0, next_sequence: 0 };
      const begin = async (): Promise<void> => {
        await plans.read();
        await plans.write(other);
      };
      server.fault = ({ method, path }) =>
        method === 'DELETE' && path.includes('/_doc/migration') ? { until: begin() } : 'none';
      expect((await earlier.migrate(CONTRACT_DATA_FIELDS, Infinity, server.url)).isComplete).toBe(true);
      await server.stop();
      expect(await plans.read()).toEqual(other);
      await plans.remove();
      expect(await plans.read()).toBeUndefined();
      await plans.remove();
      await client.close();
    });

    it('takes no fields into use after another one has begun for other fields, and does so when it is run again', async () => {
      const [field = '', ...others] = CONTRACT_DATA_FIELDS;
      const server = await FaultyServer.start(url);
      let held = 0;
      const taken = `"data_fields":{"${field}"`;
      server.fault = ({ method, path, body }) =>
        method === 'PUT' && path.includes('/_doc/progress') && body.includes(taken) && held++ === 0
          ? { until: store.migrate(2, others).then(() => undefined) }
          : 'none';
      await expect(earlier.migrate([field], Infinity, server.url)).rejects.toMatchObject({ code: 'STORE_IN_USE' });
      await server.stop();
      expect(held).toBe(1);
      expect((await store.migrate(Infinity, [field])).isComplete).toBe(true);
      await expectRowsBy(field);
    });

    it('takes no fields into use after another one has ended, and repairs have written no values of them since', async () => {
      const [field = '', ...others] = CONTRACT_DATA_FIELDS;
      const client = new Client({ node: url });
      const { progress } = (await new ProgressReader(client, earlier.store.names).read()) ?? {};
      await client.close();
      const between = async (): Promise<void> => {
        expect((await store.migrate(Infinity, others)).isComplete).toBe(true);
        await repair();
        await (await earlier.openWriter([field])).close();
      };
      const server = await FaultyServer.start(url);
      let hasAdded = false;
      let held = 0;
      server.fault = ({ method, path, body }) => {
        if (method === 'PUT' && path.includes('/_doc/migration')) {
          const { next_block: next } = JSON.parse(body) as MigrationPlan;
          hasAdded ||= next > (progress?.clean_up_to ?? Infinity);
        }
        const isNext = hasAdded && method === 'GET' && path.includes('/_doc/progress');
        return isNext && held++ === 0 ? { until: between() } : 'none';
      };
      await expect(earlier.migrate([field], Infinity, server.url)).rejects.toMatchObject({ code: 'STORE_IN_USE' });
      await server.stop();
      expect(held).toBeGreaterThan(0);
      expect((await store.migrate(Infinity, [field])).isComplete).toBe(true);
      await expectRowsBy(field);
    });

    it.each(['/_bulk', '/_refresh', '/_msearch'])(
      'goes on with the next range when one is removed while its actions are updated, before %s',
      async (part) => {
        const client = new Client({ node: url });
        const { names } = earlier.store;
        const kept = 112;
        /** As retention does. */
        const remove = async (): Promise<void> => {
          const change = { first_block_num: kept, has_removed_blocks: true, counts_traces: false };
          await new ProgressStore(client, names).change((progress) => ({ ...progress, ...change }), 'remove blocks');
          const range = { blocks_per_index: 16 };
          await client.indices.delete({ index: RANGED_KINDS.map((kind) => names.ranged(kind, kept - 1, range)) });
        };
        const server = await FaultyServer.start(url);
        let requests = 0;
        server.fault = ({ path }) => (path.includes(part) && requests++ === 0 ? { until: remove() } : 'none');
        const migration = await earlier.migrate(CONTRACT_DATA_FIELDS, Infinity, server.url);
        // Positions of traces are counted from the first block.
        expect(migration).toMatchObject({ isComplete: true, traces: false });
        await server.stop();
        await client.close();
        const reader = await earlier.openReader();
        const { committedBlocks: blocks } = store.model;
        const facts = { dataFrom: kept, hasRemovedBlocks: true };
        const model = ModelHistory.of(blocks.slice(kept - (blocks[0]?.position.num ?? 0)), facts);
        // ABIs of removed blocks stay.
        model.dataOf = (row) => store.model.dataOf(row);
        const comparison = new Comparison(reader, model);
        await comparison.status();
        await comparison.everyDataValue();
        expect(await store.migrate()).toEqual(NOTHING_MISSING);
        await reader.close();
      },
    );

    it('lets indexers commit blocks meanwhile', async () => {
      const writing = (async () => {
        for (let turn = 0; turn < 10; turn++) await store.write([PAID], 1, CONTRACT_DATA_FIELDS);
      })();
      expect((await store.migrate()).isComplete).toBe(true);
      await writing;
      expect(await store.migrate()).toMatchObject({ traces: false, fields: [] });
      await store.compare();
    });
  });
});
