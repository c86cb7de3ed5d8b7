import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { loadConfig } from '@antelope-history/app-runtime';
import type { StoreReader } from '@antelope-history/store';
import { compareStores } from '@antelope-history/store/compare-stores';
import { openLmdbStoreReader } from '@antelope-history/store-lmdb/reader';
import { openLmdbStoreWriter } from '@antelope-history/store-lmdb/writer';
import { openSample } from '@antelope-history/test-support/recordings';
import { expectSameLists } from './migrated-lists';
import { recordsOf } from './recorded-records';
import { onDirectory, runMain } from './run-main';

/** Written by version 4.1.0 from the first blocks of leap-edge, with forks, until it was killed. */
const OLD_DATA = path.join(__dirname, 'data-4.1.0.mdb.gz');
const RECORDS = recordsOf(openSample('leap-edge'));
const CHAIN_ID = 'd4bb87c2b49f2cbd3a50fbe974fd1846b8698e1f8e398548f2ff6b7875b0ebb9';
const { index } = loadConfig({});

describe('data that version 4.1.0 wrote', () => {
  let folder: string;
  let data: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-migrate-'));
    data = path.join(folder, 'data');
    mkdirSync(data);
    writeFileSync(path.join(data, 'data.mdb'), gunzipSync(readFileSync(OLD_DATA)));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const migrate = (...args: string[]) => runMain('migrate-main', onDirectory(data), args);

  /** Writes the messages after the committed block, as the node sends them after a restart. */
  async function writeRest(directory: string): Promise<void> {
    const options = { path: directory, mapSizeBytes: 0, dataFields: index.dataFields };
    const writer = await openLmdbStoreWriter(options);
    await writer.setChainId(CHAIN_ID);
    const { committed } = (await writer.getProgress()).status;
    const after = RECORDS.findLastIndex(({ position }) => position.id === committed?.id);
    await writer.writeBlocks(RECORDS.slice(after + 1));
    await writer.close();
  }

  async function openFresh(): Promise<StoreReader> {
    const fresh = path.join(folder, 'fresh');
    await writeRest(fresh);
    return openLmdbStoreReader({ path: fresh, mapSizeBytes: 0 });
  }

  it('is read and continued as it is', async () => {
    await writeRest(data);
    const [old, fresh] = [await openLmdbStoreReader({ path: data, mapSizeBytes: 0 }), await openFresh()];
    const { differences, blocks, actions } = await compareStores(old, fresh);
    expect(differences).toEqual([]);
    expect([blocks, actions > 2_000]).toEqual([505, true]);
    const asked = old.getAccountTraces({ account: 'alice', select: (count) => ({ first: 0, last: count }) });
    await expect(asked).rejects.toMatchObject({ code: 'POSITIONS_NOT_STORED' });
    await Promise.all([old.close(), fresh.close()]);
  });

  it('serves every query after the migration, and continues', async () => {
    const { status, output } = await migrate('--json');
    expect(status).toBe(0);
    const lines = output.trim().split('\n');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
      complete: true,
      positions: true,
      data_fields: index.dataFields,
    });
    expect(await migrate()).toMatchObject({ status: 0, output: 'nothing is missing\n' });
    await writeRest(data);
    const [old, fresh] = [await openLmdbStoreReader({ path: data, mapSizeBytes: 0 }), await openFresh()];
    expect((await compareStores(old, fresh)).differences).toEqual([]);
    expect((await old.getStatus()).dataFields).toEqual((await fresh.getStatus()).dataFields);

    const { traces, values } = await expectSameLists(old, fresh, index.dataFields);
    expect([traces > 3_000, values > 500]).toEqual([true, true]);
    await Promise.all([old.close(), fresh.close()]);
  });

  it('is not created where there is none', async () => {
    const empty = path.join(folder, 'empty');
    mkdirSync(empty);
    const { status, output } = await runMain('migrate-main', onDirectory(empty), []);
    expect([status, output]).toEqual([2, expect.stringMatching(/^STORE_UNAVAILABLE: there is no data in /)]);
    expect(readdirSync(empty)).toEqual([]);
  });

  it('is migrated only while no service writes it', async () => {
    const writer = await openLmdbStoreWriter({ path: data, mapSizeBytes: 0 });
    const { status, output } = await migrate();
    expect([status, output]).toEqual([2, expect.stringContaining('STORE_IN_USE')]);
    await writer.close();
  });
});
