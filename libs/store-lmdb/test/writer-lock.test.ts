import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { closeSocket, listenIn, socketFolders } from '../src/lock/lock-sockets';
import { takeWriterLock } from '../src/lock/writer-lock';

describe('the lock of a data directory', () => {
  let folder: string;
  const { TMPDIR } = process.env;
  beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'writer-lock-'))));
  afterEach(() => {
    if (TMPDIR === undefined) Reflect.deleteProperty(process.env, 'TMPDIR');
    else process.env['TMPDIR'] = TMPDIR;
    rmSync(folder, { recursive: true });
  });

  // systemd gives each unit a folder of its own (PrivateTmp).
  it('is held by one of two writers with different folders for temporary files, however long the path is', async () => {
    const directory = path.join(folder, 'x'.repeat(100), 'data');
    const [one, other] = ['one', 'other'].map((name) => path.join(folder, name));
    for (const each of [directory, one, other]) mkdirSync(each as string, { recursive: true });
    process.env['TMPDIR'] = one;
    const lock = await takeWriterLock(directory);
    process.env['TMPDIR'] = other;
    await expect(takeWriterLock(directory)).rejects.toMatchObject({ code: 'STORE_IN_USE' });
    await lock.release();
    await (await takeWriterLock(directory)).release();
    expect(readdirSync(directory)).toEqual([]);
  });

  it('is not taken while a writer listens in the other folder, because the file system took no socket then', async () => {
    const [, outside] = socketFolders(folder, 'writer');
    const other = await listenIn(outside as NonNullable<typeof outside>, (visitor) => visitor.destroy());
    await expect(takeWriterLock(folder)).rejects.toMatchObject({ code: 'STORE_IN_USE' });
    await closeSocket(other);
    await (await takeWriterLock(folder)).release();
  });
});
