import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openForWriting } from '../write/open-writer';
import { directoryError } from './directory-error';
import { openEnvironment } from './environment';

describe('a data directory that cannot be used', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'directory-'));
    writeFileSync(path.join(folder, 'file'), '');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it.each([
    ['file', /file cannot be created: there is a file in its place$/],
    ['file/data', /file\/data cannot be created: a part of its path is a file$/],
  ])('the writer says why: %s', async (name, message) => {
    const opened = openForWriting({ path: path.join(folder, name), mapSizeBytes: 0 });
    await expect(opened).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', message: expect.stringMatching(message) });
  });

  it('the error says why LMDB does not open it', () => {
    const open = () => openEnvironment({ path: path.join(folder, 'file'), mapSizeBytes: 0 }, false);
    expect(open).toThrow(/file cannot be opened: a part of its path is a file$/);
  });

  it.each(['data.mdb', 'lock.mdb'])('the error names what should be a file: %s', (name) => {
    mkdirSync(path.join(folder, name));
    const open = () => openEnvironment({ path: folder, mapSizeBytes: 0 }, false);
    expect(open).toThrow(new RegExp(`${name} is not a file$`));
  });

  it.each([
    [{ code: 30 }, ': its file system is read-only'],
    [{ code: 'EACCES' }, ': this user may not write there'],
    [{ code: 'ENOENT' }, ': there is no such directory, and none can be created there'],
    [{ code: -30793 }, ''],
    [new Error('no code'), ''],
  ])('%j', (cause, reason) => {
    expect(directoryError('/data', 'opened', cause).message).toBe(`the data directory /data cannot be opened${reason}`);
  });
});
