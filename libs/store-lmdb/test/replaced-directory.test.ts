import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoreReader, StoreWriter } from '@antelope-history/store';
import { EMPTY_BLOCK, SyntheticChain } from '@antelope-history/store/contract';
import { backUpLmdb } from '../src/backup';
import { DataFile, LOOK_EVERY_MS } from '../src/format/data-file';
import { OpeningGate } from '../src/lock/opening-gate';
import { openLmdbStoreReader } from '../src/reader';
import { BatchCommitter } from '../src/write/batch-committer';
import { DiskRoom } from '../src/write/disk-room';
import { createTables } from '../src/write/open-writer';
import { WriteBatch } from '../src/write/write-batch';
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

  it.each(['before', 'during'] as const)('%s a commit, makes it fail, and is not written any more', async (moment) => {
    const open = path.join(folder, `commits ${moment}`);
    const tables = createTables({ path: open, mapSizeBytes: 0 });
    const replace = (): void => renameSync(open, `${open}.old`);
    class ReplacingGate extends OpeningGate {
      override async whileNoneOpens<T>(commit: () => T | Promise<T>): Promise<T> {
        const committed = await commit();
        if (moment === 'during') replace();
        return committed;
      }
    }
    const committer = new BatchCommitter(tables, new ReplacingGate(), new DiskRoom(open, 0), new DataFile(open));
    if (moment === 'before') replace();
    const batch = new WriteBatch();
    batch.put(tables.meta, Buffer.from('a'), Buffer.from('b'));
    await expect(committer.commit(batch)).rejects.toMatchObject(REPLACED);
    expect(tables.meta.get(Buffer.from('a'))).toEqual(moment === 'before' ? undefined : Buffer.from('b'));
    await tables.root.close();
  });
});
