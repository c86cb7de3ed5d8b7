import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DATA_VARIABLE, makeServerFolder, removeServerFolders } from './server-folder';

const MEMORY = '/dev/shm';

describe('the folder of a server', () => {
  const before = process.env[DATA_VARIABLE];
  let services: string;
  let inMemory: string;
  beforeEach(() => {
    services = mkdtempSync(path.join(tmpdir(), 'antelope-history-servers-'));
    inMemory = path.join(MEMORY, path.basename(services));
  });
  afterEach(() => {
    keepDataIn(before);
    for (const folder of [services, inMemory]) rmSync(folder, { recursive: true, force: true });
  });

  it('is below that of all servers unless tests ask for memory', () => {
    keepDataIn(undefined);
    const own = makeServerFolder(services, 'elasticsearch');
    expect([path.dirname(own), existsSync(own)]).toEqual([services, true]);
  });

  it('is in memory where the system has such a file system, until the leftovers are removed', () => {
    keepDataIn('memory');
    const own = makeServerFolder(services, 'elasticsearch');
    writeFileSync(path.join(own, 'data'), 'left');
    expect([services, inMemory]).toContain(path.dirname(own));
    if (path.dirname(own) === services) return;
    removeServerFolders(services);
    expect(existsSync(inMemory)).toBe(false);
    removeServerFolders(services);
  });

  it('is not in memory where a link to nowhere or a file has its name', () => {
    if (!existsSync(MEMORY)) return;
    keepDataIn('memory');
    symlinkSync(path.join(services, 'nowhere'), inMemory);
    expect(path.dirname(makeServerFolder(services, 'elasticsearch'))).toBe(services);
    rmSync(inMemory);
    writeFileSync(inMemory, '');
    expect(path.dirname(makeServerFolder(services, 'elasticsearch'))).toBe(services);
  });

  it('is not in memory where another user could have made a link to elsewhere', () => {
    if (!existsSync(MEMORY)) return;
    keepDataIn('memory');
    const elsewhere = path.join(services, 'elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(path.join(elsewhere, 'data'), 'kept');
    // mkdir follows the link; only what the link itself is tells.
    symlinkSync(elsewhere, inMemory);
    expect(path.dirname(makeServerFolder(services, 'elasticsearch'))).toBe(services);
    removeServerFolders(services);
    expect(existsSync(path.join(elsewhere, 'data'))).toBe(true);
  });
});

function keepDataIn(place: string | undefined): void {
  if (place === undefined) Reflect.deleteProperty(process.env, DATA_VARIABLE);
  else process.env[DATA_VARIABLE] = place;
}
