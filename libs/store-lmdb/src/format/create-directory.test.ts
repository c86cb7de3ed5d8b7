import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createDirectory } from './create-directory';

describe('creating a directory', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'create-directory-'));
    writeFileSync(path.join(folder, 'file'), '');
    symlinkSync(folder, path.join(folder, 'link'));
    symlinkSync(path.join(folder, 'nothing'), path.join(folder, 'broken'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it.each(['one', 'one/two/three', 'one//two/', '', 'link', 'link/one'])('creates what is missing: %j', (name) => {
    const directory = path.join(folder, name);
    createDirectory(directory);
    createDirectory(directory);
    expect(statSync(directory).isDirectory()).toBe(true);
  });

  it.each([
    ['file', 'EEXIST'],
    ['file/one', 'ENOTDIR'],
    ['broken', 'EEXIST'],
    ['broken/one', 'EEXIST'],
  ])('throws the error of the system: %s', (name, code) => {
    expect(() => createDirectory(path.join(folder, name))).toThrow(expect.objectContaining({ code }));
  });

  it('ends where no directory can be created', () => {
    expect(() => createDirectory('/proc/nothing/one/two')).toThrow(/mkdir/);
  });
});
