import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SyntheticChain, type BlockPlan } from '@antelope-history/store/contract';
import { DataFile } from '../src/format/data-file';
import { BatchCommitter } from '../src/write/batch-committer';
import { DiskRoom, MIN_FREE_BYTES } from '../src/write/disk-room';
import { openForWriting } from '../src/write/open-writer';
import { WriteBatch } from '../src/write/write-batch';
import { migrateLmdb } from '../src/migrate';
import { openLmdbStoreReader } from '../src/reader';
import { openLmdbStoreWriter } from '../src/writer';

const MIB = 1024 * 1024;
const FULL = { code: 'STORE_FULL' };
/** Bytes that do not compress. */
const DATA = randomBytes(400_000);
const LARGE = {
  account: 'hot',
  name: 'ping',
  actor: 'hot',
  notified: [],
  creatorDistance: 0,
  dataBytes: 0,
  data: DATA,
};
const PLAN: BlockPlan = { transactions: [[LARGE]], abis: [], permissions: [] };

describe('the room for data', () => {
  let directory: string;
  beforeEach(() => (directory = mkdtempSync(path.join(tmpdir(), 'disk-room-'))));
  afterEach(() => rmSync(directory, { recursive: true }));

  it('ends at the configured size: what is stored is served, and writing continues when it is raised', async () => {
    const chain = new SyntheticChain().blocks(undefined, Array<BlockPlan>(60).fill(PLAN));
    let writer = await openLmdbStoreWriter({ path: directory, mapSizeBytes: 8 * MIB });
    let written = 0;
    const writeAll = async (): Promise<void> => {
      for (; written < chain.length; written++) await writer.writeBlocks(chain.slice(written, written + 1));
    };
    await expect(writeAll()).rejects.toMatchObject(FULL);
    expect(written).toBeGreaterThan(10);
    expect(written).toBeLessThan(40);
    await expect(writeAll()).rejects.toMatchObject(FULL);
    const reader = await openLmdbStoreReader({ path: directory, mapSizeBytes: 8 * MIB });
    expect((await reader.getStatus()).committed).toEqual(chain[written - 1]?.position);
    expect((await reader.getBlock('latest')).block?.position).toEqual(chain[written - 1]?.position);
    await reader.close();
    await writer.close();

    writer = await openLmdbStoreWriter({ path: directory, mapSizeBytes: 0 });
    await writeAll();
    expect((await writer.getProgress()).status.committed).toEqual(chain.at(-1)?.position);
    await writer.close();
  });

  it('does not end where old blocks are removed: their room is used again', async () => {
    const chain = new SyntheticChain();
    const options = { path: directory, mapSizeBytes: 12 * MIB, retainBlocks: 10 };
    const writer = await openLmdbStoreWriter(options);
    let last = chain.block(undefined, PLAN);
    for (let written = 0; written < 120; written++) {
      await writer.writeBlocks([last]);
      last = chain.block(last, PLAN, last.position);
    }
    const { status } = await writer.getProgress();
    expect((status.committed?.num ?? 0) - (status.firstBlockNum ?? 0)).toBeLessThan(15);
    expect(statSync(path.join(directory, 'data.mdb')).size).toBeLessThan(14 * MIB);
    await writer.close();
  });

  it('includes the free pages of removed blocks for a migration, too', async () => {
    const chain = new SyntheticChain();
    let last = chain.block(undefined, PLAN);
    const writer = await openLmdbStoreWriter({ path: directory, mapSizeBytes: 0 });
    for (let written = 0; written < 20; written++) {
      await writer.writeBlocks([last]);
      last = chain.block(last, PLAN, last.position);
    }
    await writer.close();
    const { size } = statSync(path.join(directory, 'data.mdb'));
    const options = { path: directory, mapSizeBytes: size, dataFields: ['hot:ping.from'] };
    const migration = { ...options, signal: new AbortController().signal };
    await expect(migrateLmdb({ ...migration, retainBlocks: 0 })).rejects.toMatchObject(FULL);
    const retaining = await openLmdbStoreWriter({ ...options, dataFields: [], retainBlocks: 5 });
    await retaining.maintain();
    await retaining.close();
    await expect(migrateLmdb({ ...migration, retainBlocks: 5 })).resolves.toMatchObject({ isComplete: true });
  });

  it('ends before the disk is full', async () => {
    await (await openLmdbStoreWriter({ path: directory, mapSizeBytes: 0 })).close();
    let free = MIN_FREE_BYTES;
    const room = new DiskRoom(directory, 0, undefined, () => free);
    room.assertRoom();
    free -= 1;
    expect(() => room.assertRoom()).toThrow(expect.objectContaining(FULL) as Error);
    free = MIN_FREE_BYTES;
    room.assertRoom();
  });

  it('names the full disk when a commit fails, and no other failure', async () => {
    const { tables, lock } = await openForWriting({ path: directory, mapSizeBytes: 0 });
    let free = MIN_FREE_BYTES;
    const room = new DiskRoom(directory, 0, undefined, () => free);
    const batch = new WriteBatch();
    batch.put(tables.meta, Buffer.alloc(5_000), Buffer.from('a key of this length is refused'));
    const commit = (): Promise<void> =>
      new BatchCommitter(tables, lock.gate, room, new DataFile(directory)).commit(batch);
    await expect(commit()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    free -= 1;
    await expect(commit()).rejects.toMatchObject(FULL);
    await tables.root.close();
    await lock.release();
  });

  it('is that of the real disk', async () => {
    const writer = await openLmdbStoreWriter({ path: directory, mapSizeBytes: 0 });
    const { bavail, bsize } = statfsSync(directory);
    expect(Math.abs((await writer.readFreeBytes()) - bavail * bsize)).toBeLessThan(1024 * MIB);
    await writer.close();
    expect(() => new DiskRoom(directory, 0).assertRoom()).not.toThrow();
  });
});
