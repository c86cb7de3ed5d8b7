import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EMPTY_BLOCK, SyntheticChain } from '@antelope-history/store/contract';
import { backUpLmdb } from '../src/backup';
import { takeWriterLock } from '../src/lock/writer-lock';
import { openLmdbStoreWriter } from '../src/writer';

describe('a copy of a data directory', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'store-lmdb-copy-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const from = path.join(folder, 'data');
  const to = path.join(folder, 'copy');
  const partial = `${to}.partial`;
  const block = new SyntheticChain().block(undefined, EMPTY_BLOCK);
  beforeAll(async () => {
    const writer = await openLmdbStoreWriter({ path: from, mapSizeBytes: 0 });
    await writer.writeBlocks([block]);
    await writer.close();
  });
  afterEach(() => {
    for (const made of [to, partial]) rmSync(made, { recursive: true, force: true });
  });
  const backUp = () => backUpLmdb({ from, to, isCompact: true });

  it('is left alone while another process makes it, and made anew when that one was killed', async () => {
    mkdirSync(partial);
    writeFileSync(path.join(partial, 'data.mdb'), 'a part of it');
    const other = await takeWriterLock(partial, 'copier');
    await expect(backUp()).rejects.toMatchObject({ code: 'STORE_IN_USE' });
    expect(readdirSync(partial)).toContain('data.mdb');
    await other.release();
    expect((await backUp()).status.committed).toEqual(block.position);
    expect(readdirSync(to).sort()).toEqual(['data.mdb', 'lock.mdb']);
    expect(readdirSync(folder).sort()).toEqual(['copy', 'data']);
  });

  it('leaves nothing behind when it is interrupted', async () => {
    const copying = backUpLmdb({ from, to, isCompact: true, signal: AbortSignal.abort() });
    await expect(copying).rejects.toMatchObject({ code: 'STOPPED' });
    expect(readdirSync(folder)).toEqual(['data']);
  });

  it('is not made in the data directory, by whatever path', async () => {
    const link = path.join(folder, 'link');
    symlinkSync(from, link);
    for (const inside of [path.join(from, 'copy'), path.join(link, 'new', 'copy')]) {
      const copying = backUpLmdb({ from, to: inside, isCompact: true });
      await expect(copying).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    }
    expect(readdirSync(from).sort()).toEqual(['data.mdb', 'lock.mdb']);
    rmSync(link);
    // A directory beside it whose name begins with dots.
    const beside = path.join(folder, '..copy');
    await backUpLmdb({ from, to: beside, isCompact: true });
    rmSync(beside, { recursive: true });
  });

  it('is not made again when another process completed it before the lock was free', async () => {
    mkdirSync(partial);
    const other = await takeWriterLock(partial, 'copier');
    const refused = expect(backUp()).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    mkdirSync(to);
    writeFileSync(path.join(to, 'data.mdb'), 'the copy');
    await other.release();
    await refused;
    expect(readdirSync(to)).toEqual(['data.mdb']);
  });

  it('is made by one of two that begin at once', async () => {
    const ends = await Promise.allSettled([backUp(), backUp()]);
    const codes = ends
      .map((end) => (end.status === 'fulfilled' ? 'made' : (end.reason as { code: string }).code))
      .sort();
    expect(codes.filter((code) => code === 'made')).toHaveLength(1);
    for (const code of codes) expect(['made', 'STORE_IN_USE', 'CONFIG_INVALID']).toContain(code);
    expect(readdirSync(folder).sort()).toEqual(['copy', 'data']);
  });
});
