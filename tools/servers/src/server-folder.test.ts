import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DATA_VARIABLE, inMemory, makeServerFolder, removeServerFolders } from './server-folder';

const MEMORY = '/dev/shm';

describe('the folder of a server', () => {
  const before = process.env[DATA_VARIABLE];
  let services: string;
  beforeEach(() => {
    services = mkdtempSync(path.join(tmpdir(), 'antelope-history-servers-'));
  });
  afterEach(() => {
    keepDataIn(before);
    for (const folder of [services, inMemory(services)]) rmSync(folder, { recursive: true, force: true });
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
    expect([services, inMemory(services)]).toContain(path.dirname(own));
    if (path.dirname(own) === services) return;
    removeServerFolders(services);
    expect(existsSync(inMemory(services))).toBe(false);
    removeServerFolders(services);
  });

  it('stays when the leftovers of a folder with the same name in another place are removed', () => {
    keepDataIn('memory');
    const [one, other] = ['one', 'other'].map((place) => path.join(services, place, 'antelope-history-services')) as [
      string,
      string,
    ];
    for (const folder of [one, other]) mkdirSync(folder, { recursive: true });
    try {
      const [own, another] = [makeServerFolder(one, 'elasticsearch'), makeServerFolder(other, 'elasticsearch')];
      removeServerFolders(other);
      expect(existsSync(own)).toBe(true);
      expect(existsSync(another)).toBe(path.dirname(another) === other);
    } finally {
      for (const folder of [one, other]) rmSync(inMemory(folder), { recursive: true, force: true });
    }
  });

  it('is not in memory where a link to nowhere or a file has its name', () => {
    if (!existsSync(MEMORY)) return;
    keepDataIn('memory');
    symlinkSync(path.join(services, 'nowhere'), inMemory(services));
    expect(path.dirname(makeServerFolder(services, 'elasticsearch'))).toBe(services);
    rmSync(inMemory(services));
    writeFileSync(inMemory(services), '');
    expect(path.dirname(makeServerFolder(services, 'elasticsearch'))).toBe(services);
  });

  it('is not in memory where another user could have made a link to elsewhere', () => {
    if (!existsSync(MEMORY)) return;
    keepDataIn('memory');
    const elsewhere = path.join(services, 'elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(path.join(elsewhere, 'data'), 'kept');
    // mkdir follows the link; only what the link itself is tells.
    symlinkSync(elsewhere, inMemory(services));
    expect(path.dirname(makeServerFolder(services, 'elasticsearch'))).toBe(services);
    removeServerFolders(services);
    expect(existsSync(path.join(elsewhere, 'data'))).toBe(true);
  });
});

function keepDataIn(place: string | undefined): void {
  if (place === undefined) Reflect.deleteProperty(process.env, DATA_VARIABLE);
  else process.env[DATA_VARIABLE] = place;
}
