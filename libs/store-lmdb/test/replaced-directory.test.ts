import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoreReader, StoreWriter } from '@antelope-history/store';
import { EMPTY_BLOCK, SyntheticChain } from '@antelope-history/store/contract';
import { backUpLmdb } from '../src/backup';
import { LOOK_EVERY_MS } from '../src/format/data-file';
import { openLmdbStoreReader } from '../src/reader';
import { openLmdbStoreWriter } from '../src/writer';

const REPLACED = { code: 'STORE_UNAVAILABLE', message: expect.stringContaining('was replaced') as string };

describe('a data directory that is replaced while processes have it open', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'store-lmdb-replaced-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  let data: string;
  let writer: StoreWriter;
  let reader: StoreReader;
  const chain = new SyntheticChain();
  const first = chain.block(undefined, EMPTY_BLOCK);
  const second = chain.block(first, EMPTY_BLOCK);
  beforeEach(async () => {
    data = mkdtempSync(path.join(folder, 'data-'));
    writer = await openLmdbStoreWriter({ path: data, mapSizeBytes: 0 });
    await writer.writeBlocks([first]);
    await backUpLmdb({ from: data, to: `${data}.copy`, isCompact: false });
    reader = await openLmdbStoreReader({ path: data, mapSizeBytes: 0 });
    await reader.getStatus();
  });
  afterEach(async () => {
    await reader.close();
    await writer.close();
  });

  it('by a backup, is not read and not written any more', async () => {
    renameSync(data, `${data}.old`);
    renameSync(`${data}.copy`, data);
    await expect(writer.writeBlocks([second])).rejects.toMatchObject(REPLACED);
    await sleep(LOOK_EVERY_MS);
    await expect(reader.getStatus()).rejects.toMatchObject(REPLACED);
    await expect(reader.getBlock('latest')).rejects.toMatchObject(REPLACED);
  });

  it('by nothing, neither, until it is in its place again', async () => {
    renameSync(data, `${data}.old`);
    await sleep(LOOK_EVERY_MS);
    await expect(reader.getStatus()).rejects.toMatchObject(REPLACED);
    await expect(writer.writeBlocks([second])).rejects.toMatchObject(REPLACED);
    renameSync(`${data}.old`, data);
    expect((await writer.writeBlocks([second])).committed).toEqual(second.position);
    await sleep(LOOK_EVERY_MS);
    expect((await reader.getStatus()).committed).toEqual(second.position);
  });
});
