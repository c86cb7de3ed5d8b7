import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Finding } from '@antelope-history/connectivity/check';
import { lmdbChecks, lmdbRoomCheck, readLmdbStatus } from '../src/check';
import { createTables } from '../src/write/open-writer';
import { OpeningGate } from '../src/lock/opening-gate';
import { BatchCommitter } from '../src/write/batch-committer';
import { DataFile } from '../src/format/data-file';
import { DiskRoom, MIN_FREE_BYTES } from '../src/write/disk-room';
import { WriteBatch } from '../src/write/write-batch';
import { writeFact } from '../src/write/write-facts';
import { openLmdbStoreWriter } from '../src/writer';

const CHAIN = 'c5'.repeat(32);

describe('checks of a data directory', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'history-lmdb-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const open = (directory: string) => openLmdbStoreWriter({ path: directory, mapSizeBytes: 0 });

  async function findingsOf(directory: string, access: 'read' | 'write', chainId?: string): Promise<Finding[]> {
    const findings: Finding[] = [];
    for (const { run } of lmdbChecks({ path: directory, access, chainId })) {
      findings.push(await run(AbortSignal.timeout(1_000)));
      if (findings[0]?.outcome === 'wrong') break;
    }
    return findings;
  }
  const idsOf = (findings: Finding[]) => findings.map(({ outcome, id }) => `${outcome} ${id}`);

  async function makeData(directory: string): Promise<void> {
    const store = await open(directory);
    await store.setChainId(CHAIN);
    await store.close();
  }

  it('accept a directory that a writer would create, and create nothing', async () => {
    const directory = path.join(folder, 'a/b');
    expect(idsOf(await findingsOf(directory, 'write'))).toEqual([
      'ok lmdb.directory_to_be_made',
      'ok lmdb.empty',
      'ok lmdb.writer',
    ]);
    expect(readdirSync(folder)).toEqual([]);
    expect(await readLmdbStatus(directory)).toBeUndefined();
  });

  it('reject a directory without data for a reader', async () => {
    const [finding] = await findingsOf(folder, 'read');
    expect([finding?.outcome, finding?.id]).toEqual(['wrong', 'lmdb.missing']);
  });

  it('accept valid data for reading and writing, and change nothing', async () => {
    await makeData(folder);
    const before = readdirSync(folder);
    expect(idsOf(await findingsOf(folder, 'read'))).toEqual(['ok lmdb.directory', 'ok lmdb.data']);
    expect(idsOf(await findingsOf(folder, 'write', CHAIN))).toEqual([
      'ok lmdb.directory',
      'ok lmdb.data',
      'ok lmdb.writer',
    ]);
    expect(readdirSync(folder)).toEqual(before);
    expect((await readLmdbStatus(folder))?.chainId).toBe(CHAIN);
  });

  it('report another chain', async () => {
    await makeData(folder);
    const [, data] = await findingsOf(folder, 'write', 'ab'.repeat(32));
    expect([data?.outcome, data?.id]).toEqual(['wrong', 'lmdb.chain_id_mismatch']);
    expect(data?.what).toContain(CHAIN);
  });

  it('report another writer', async () => {
    const store = await open(folder);
    const [, , writer] = await findingsOf(folder, 'write');
    expect([writer?.outcome, writer?.id]).toEqual(['wrong', 'lmdb.in_use']);
    await store.close();
    expect((await findingsOf(folder, 'write'))[2]?.id).toBe('lmdb.writer');
  });

  it('report another format version', async () => {
    const tables = createTables({ path: folder, mapSizeBytes: 0 });
    const batch = new WriteBatch();
    writeFact(tables, 'formatVersion', 99, batch);
    await new BatchCommitter(tables, new OpeningGate(), new DiskRoom(folder, 0), new DataFile(folder)).commit(batch);
    await tables.root.close();
    const [, data] = await findingsOf(folder, 'read');
    expect([data?.outcome, data?.id]).toEqual(['wrong', 'lmdb.wrong_format']);
    expect(data?.what).toContain('has format 99');
  });

  it('report a disk that has too little room for a writer, also before the directory exists', async () => {
    await makeData(folder);
    for (const directory of [folder, path.join(folder, 'a/b')]) {
      let free = MIN_FREE_BYTES;
      const check = lmdbRoomCheck({ path: directory, mapSizeBytes: 0, readFreeBytes: () => free });
      expect(await check.run(AbortSignal.timeout(1_000))).toMatchObject({ outcome: 'ok', id: 'lmdb.room' });
      free -= 1;
      const finding = await check.run(AbortSignal.timeout(1_000));
      expect(finding).toMatchObject({ outcome: 'wrong', id: 'lmdb.full' });
      expect(finding.what).toContain('511 MiB free on its disk, at least 512 MiB are needed');
    }
  });

  it('report data that has reached the configured size, but not free pages below it that removed blocks leave', async () => {
    await makeData(folder);
    const mapSizeBytes = statSync(path.join(folder, 'data.mdb')).size;
    const findingOf = (retainBlocks?: number) =>
      lmdbRoomCheck({ path: folder, mapSizeBytes, retainBlocks }).run(AbortSignal.timeout(1_000));
    const finding = await findingOf();
    expect(finding).toMatchObject({ outcome: 'wrong', id: 'lmdb.full' });
    expect(finding.what).toContain('store.lmdb.map_size_bytes');
    expect(await findingOf(10)).toMatchObject({ outcome: 'ok' });
  });

  it('report a directory that this user may not write', async () => {
    const locked = path.join(folder, 'locked');
    mkdirSync(locked);
    chmodSync(locked, 0o500);
    // Root may write everywhere except to kernel file systems.
    const directory = process.getuid?.() === 0 ? '/proc/history-data' : path.join(locked, 'data');
    const [finding] = await findingsOf(directory, 'write');
    expect([finding?.outcome, finding?.id]).toEqual(['wrong', 'lmdb.not_writable']);
  });

  it('report a file where a directory is wanted', async () => {
    const file = path.join(folder, 'file');
    writeFileSync(file, '');
    for (const directory of [file, path.join(file, 'data')]) {
      const [finding] = await findingsOf(directory, 'write');
      expect([finding?.outcome, finding?.id, finding?.what]).toEqual([
        'wrong',
        'lmdb.not_directory',
        `${file} is not a directory`,
      ]);
    }
  });
});
