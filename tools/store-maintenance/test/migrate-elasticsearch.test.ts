import { setTimeout as sleep } from 'node:timers/promises';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadConfig } from '@antelope-history/app-runtime';
import { Client } from '@elastic/elasticsearch';
import { describeWithService } from '@antelope-history/servers';
import type { StoreReader, StoreWriter } from '@antelope-history/store';
import { compareStores } from '@antelope-history/store/compare-stores';
import { openElasticsearchStoreReader } from '@antelope-history/store-elasticsearch/reader';
import { openElasticsearchStoreWriter } from '@antelope-history/store-elasticsearch/writer';
import { openLmdbStoreReader } from '@antelope-history/store-lmdb/reader';
import { openLmdbStoreWriter } from '@antelope-history/store-lmdb/writer';
import { openSample } from '@antelope-history/test-support/recordings';
import { FIRST_POSITION, LAST_WRITTEN, loadEarlierIndices, LOST_MESSAGE } from './earlier-indices';
import { elasticsearchOptions } from './elasticsearch-options';
import { expectSameLists } from './migrated-lists';
import { recordsOf } from './recorded-records';
import { PausableServer } from './pausable-server';
import { ended, runMain, startMain } from './run-main';

/** Of the recording: few, because each is compared by many requests. */
const MESSAGES = 300;
const { chainId } = openSample('leap-edge');
const RECORDS = recordsOf(openSample('leap-edge'))
  .slice(0, MESSAGES)
  .map((block, index) => ({
    ...block,
    streamPosition: { epoch: FIRST_POSITION.epoch, sequence: FIRST_POSITION.sequence + index },
  }));
const { index } = loadConfig({});
/** As 4.1.0 had it. */
const BLOCKS_PER_INDEX = 64;
const PIECE = 10;

jest.setTimeout(180_000);

describeWithService(['elasticsearch'], (url = '') => {
  describe('data that version 4.1.0 wrote to Elasticsearch', () => {
    const client = new Client({ node: url });
    const folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-migrate-'));
    let fresh: StoreReader;
    let prefix: string;
    let writer: StoreWriter;
    let old: StoreReader;

    const options = (indexPrefix: string) => ({
      ...elasticsearchOptions(url, indexPrefix, BLOCKS_PER_INDEX),
      dataFields: index.dataFields,
    });

    beforeAll(async () => {
      const data = { path: folder, mapSizeBytes: 0, dataFields: index.dataFields };
      const other = await openLmdbStoreWriter(data);
      await other.setChainId(chainId ?? '');
      await other.writeBlocks(RECORDS);
      await other.close();
      fresh = await openLmdbStoreReader(data);
    });
    afterAll(async () => {
      await fresh.close();
      await client.close();
      rmSync(folder, { recursive: true });
    });
    beforeEach(async () => {
      prefix = await loadEarlierIndices(client);
      writer = await openElasticsearchStoreWriter(options(prefix));
      old = await openElasticsearchStoreReader(options(prefix));
    });
    afterEach(async () => {
      await writer.close();
      await old.close();
      await client.indices.delete({ index: Object.keys(await client.indices.get({ index: `${prefix}-*` })) });
      await client.indices.deleteIndexTemplate({ name: `${prefix}-*` });
    });

    const at = (address: string): NodeJS.ProcessEnv => ({
      HISTORY_STORE__KIND: 'elasticsearch',
      HISTORY_STORE__ELASTICSEARCH__URLS: address,
      HISTORY_STORE__ELASTICSEARCH__INDEX_PREFIX: prefix,
    });
    const migrate = (...args: string[]) => runMain('migrate-main', at(url), args);

    const committed = async (): Promise<number | undefined> => (await writer.maintain()).committed?.num;

    /** Writes the lost message, upon which those that wait for it are committed, and then the others, some at a time. */
    async function writeRest(): Promise<void> {
      await writer.writeBlocks(RECORDS.slice(LOST_MESSAGE, LOST_MESSAGE + 1));
      while ((await committed()) !== RECORDS[LAST_WRITTEN]?.position.num);
      for (let start = LAST_WRITTEN + 1; start < RECORDS.length; start += PIECE) {
        await writer.writeBlocks(RECORDS.slice(start, start + PIECE));
        await sleep(20);
      }
      while ((await committed()) !== RECORDS.at(-1)?.position.num);
    }

    async function expectSame(): Promise<void> {
      const { traces, values } = await expectSameLists(old, fresh, index.dataFields);
      expect([traces > 2_000, values > 250]).toEqual([true, true]);
    }

    it('is read and continued as it is', async () => {
      await writeRest();
      expect((await compareStores(old, fresh)).differences).toEqual([]);
      const asked = old.getAccountTraces({ account: 'alice', select: (count) => ({ first: 0, last: count }) });
      await expect(asked).rejects.toMatchObject({ code: 'POSITIONS_NOT_STORED' });
      expect((await old.getStatus()).dataFields['eosio.token:transfer.to']).toBe(
        RECORDS[LAST_WRITTEN + 1]?.position.num,
      );
    });

    it('finds transactions by any part of their ids, of which version 4.1.0 indexed the whole', async () => {
      await writeRest();
      const blocks = RECORDS.filter(({ transactions }) => transactions.length > 0);
      for (const { transactions } of [blocks[1], blocks.at(-1)].flatMap((block) => block ?? [])) {
        const id = transactions[0]?.id.toString('hex') ?? '';
        for (const digits of [8, 31, 32, 33, 63, 64]) {
          const lookup = await old.getTransaction(id.slice(0, digits));
          expect(lookup).toMatchObject({ found: 'one', transaction: { id } });
        }
      }
    });

    it('has a format that version 4.1.0 refuses, before this version writes a document', async () => {
      const { _source } = await client.get<{ format_version: number }>({ index: `${prefix}-progress`, id: 'progress' });
      expect(_source?.format_version).toBe(6);
    });

    it('serves every query after the migration, and continues', async () => {
      await writeRest();
      const { status, output } = await migrate('--json');
      expect(status).toBe(0);
      const report: unknown = JSON.parse(output.trim().split('\n').at(-1) ?? '');
      expect(report).toMatchObject({ complete: true, positions: true, data_fields: index.dataFields });
      expect(await migrate()).toMatchObject({ status: 0, output: 'nothing is missing\n' });
      expect((await old.getStatus()).dataFields).toEqual((await fresh.getStatus()).dataFields);
      await expectSame();
    });

    it.each([
      ['_bulk', 2, 'SIGINT'],
      ['_bulk', 2, 'SIGKILL'],
      // The plan after the first step.
      ['_doc/migration', 3, 'SIGINT'],
      ['_doc/migration', 3, 'SIGKILL'],
      ['_doc/progress?', 2, 'SIGKILL'],
    ] as const)(
      'is migrated after a migration ended at %s, request %i, by %s while the server was paused',
      async (text, number, signal) => {
        await writeRest();
        const server = await PausableServer.start(url);
        const paused = server.pauseAt(text, number);
        const child = startMain('migrate-main', at(server.url), []);
        const end = ended(child);
        await paused;
        const begun = performance.now();
        child.kill(signal);
        const { status, output } = await end;
        expect(performance.now() - begun).toBeLessThan(15_000);
        if (signal === 'SIGINT') {
          expect([status, output]).toEqual([1, expect.stringMatching(/^interrupted .*: the same command continues$/m)]);
        }
        // The next one has begun when the server executes what it got of this one.
        const next = migrate('--json');
        await sleep(500);
        server.resume();
        const { status: ending } = await next;
        // It may have taken the late plan for that of a migration that runs.
        if (ending !== 0) expect((await migrate()).status).toBe(0);
        await server.stop();
        expect(await migrate()).toMatchObject({ status: 0, output: 'nothing is missing\n' });
        await expectSame();
      },
    );

    it('is migrated while an indexer writes', async () => {
      const writing = writeRest();
      const { status } = await migrate();
      await writing;
      expect(status).toBe(0);
      // Blocks of the earlier version that were committed after the end of the migration would need another one.
      await migrate();
      await expectSame();
    });

    it('needs another migration when blocks that the earlier version wrote are committed after one', async () => {
      expect((await migrate()).status).toBe(0);
      expect(
        (await old.getAccountTraces({ account: 'alice', select: () => ({ first: 0, last: 0 }) })).rows,
      ).toHaveLength(1);
      await writeRest();
      const asked = old.getAccountTraces({ account: 'alice', select: () => ({ first: 0, last: 0 }) });
      await expect(asked).rejects.toMatchObject({ code: 'POSITIONS_NOT_STORED' });
      expect((await old.getStatus()).dataFields['eosio.token:transfer.to']).toBe(
        RECORDS[LAST_WRITTEN + 1]?.position.num,
      );
      expect((await migrate()).status).toBe(0);
      await expectSame();
    });
  });
});
