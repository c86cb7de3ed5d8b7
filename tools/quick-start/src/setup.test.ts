import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sampleFolder } from '@antelope-history/test-support/recordings';
import { openLmdbStoreWriter } from '@antelope-history/store-lmdb/writer';
import { chooseOperationsPort, createSetup, requireFreePort, requireUsableData } from './setup';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-setup-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('createSetup', () => {
  it('replays the sample chain by default', () => {
    const { source, config } = createSetup({}, {}, folder);
    expect(source).toMatchObject({ type: 'recording', folder: sampleFolder('leap-edge') });
    expect(config.gateway.port).toBe(8888);
  });

  it('listens on the loopback interface by default', () => {
    expect(createSetup({}, {}, folder).config.gateway.host).toBe('127.0.0.1');
    expect(createSetup({ host: '0.0.0.0' }, {}, folder).config.gateway.host).toBe('0.0.0.0');
    expect(createSetup({ opsPort: 9999 }, {}, folder).config.ops).toMatchObject({
      host: '127.0.0.1',
      gatewayPort: 9999,
    });
  });

  it('has a data directory per source', () => {
    const samples = (['leap-edge', 'leap-forks'] as const).map((name) => ({ recording: sampleFolder(name) }));
    const nodes = ['ws://a:8080', 'ws://b:8080'].map((ship) => ({ ship }));
    const paths = [...samples, ...nodes].map((options) => createSetup(options, {}, folder).config.store.lmdb.path);
    expect(new Set(paths).size).toBe(4);
    for (const directory of paths) expect(path.basename(path.dirname(directory))).toBe('data');
    expect(createSetup({}, {}, folder).config.store.lmdb.path).toBe(paths[0]);
  });

  it('follows a node; options override the file and the environment', () => {
    const file = path.join(folder, 'service.json');
    writeFileSync(file, JSON.stringify({ ship: { urls: ['ws://file:1'] }, gateway: { port: 1001 } }));
    const fromFile = createSetup({ config: 'service.json' }, {}, folder);
    expect(fromFile.source.type).toBe('node');
    expect(fromFile.config).toMatchObject({ ship: { urls: ['ws://file:1'] }, gateway: { port: 1001 } });
    expect(fromFile.serviceArgs).toEqual(['--config', file]);

    const options = { config: 'service.json', ship: 'ws://option:2', port: 1002, data: 'here' };
    const { config } = createSetup(options, { HISTORY_GATEWAY__PORT: '1003' }, folder);
    expect(config).toMatchObject({
      ship: { urls: ['ws://option:2'] },
      gateway: { port: 1002 },
      store: { lmdb: { path: path.join(folder, 'here') } },
    });
  });

  it('takes the data directory from the former environment variable, unless an option names another', () => {
    const environment = { HISTORY_STORE__PATH: '/former' };
    expect(createSetup({}, environment, folder).config.store.lmdb.path).toBe('/former');
    expect(createSetup({ data: 'here' }, environment, folder).config.store.lmdb.path).toBe(path.join(folder, 'here'));
  });

  it('rejects a configuration file that names no node, unless an option or the environment names the source', () => {
    const config = 'no-node.json';
    writeFileSync(path.join(folder, config), JSON.stringify({ gateway: { port: 1001 } }));
    expect(() => createSetup({ config }, {}, folder)).toThrow(/no-node\.json names no node: set ship\.urls in it/);
    const environment = { HISTORY_SHIP__URLS: 'ws://a:1' };
    expect(createSetup({ config }, environment, folder).source).toMatchObject({ type: 'node', name: 'ws://a:1' });
    expect(createSetup({ config, ship: 'ws://b:1' }, {}, folder).config.ship.urls).toEqual(['ws://b:1']);
    expect(createSetup({ config, recording: sampleFolder('leap-edge') }, {}, folder).source.type).toBe('recording');
  });

  it('shows no password of a node, and keeps the data of each address apart', () => {
    const ship = 'ws://bob:s3cr3t@127.0.0.1:1,wss://x:y@node.example';
    const setup = createSetup({ ship }, {}, folder);
    expect(setup.source.name).toBe('ws://127.0.0.1:1,wss://node.example');
    const other = createSetup({ ship: 'ws://127.0.0.1:1,wss://node.example' }, {}, folder);
    expect(setup.config.store.lmdb.path).not.toBe(other.config.store.lmdb.path);
  });

  it('rejects a wrong recording or configuration with a message that names it', () => {
    expect(() => createSetup({ recording: 'nowhere' }, {}, folder)).toThrow(/nowhere holds no ship\.abi\.json/);
    expect(() => createSetup({ config: 'nowhere.json' }, {}, folder)).toThrow(/nowhere\.json cannot be read/);
    expect(() => createSetup({}, { HISTORY_GATEWAY__PORT: 'x' }, folder)).toThrow(/gateway\.port/);
  });
});

describe('requireUsableData', () => {
  const configOf = (data: string) => createSetup({ data }, {}, folder).config;

  it('accepts a directory that does not exist, and creates nothing', async () => {
    await requireUsableData(configOf('new/data'));
    expect(existsSync(path.join(folder, 'new'))).toBe(false);
  });

  it('rejects a file', async () => {
    writeFileSync(path.join(folder, 'file'), '');
    await expect(requireUsableData(configOf('file'))).rejects.toThrow(/file is not a directory\. .* --data DIR$/);
  });

  it('rejects the directory of a service that runs, and writes nothing into it', async () => {
    const { store } = configOf('held');
    const writer = await openLmdbStoreWriter({ path: store.lmdb.path, mapSizeBytes: 0 });
    const before = readdirSync(store.lmdb.path);
    await expect(requireUsableData({ store })).rejects.toThrow(`another process writes to ${store.lmdb.path}`);
    expect(readdirSync(store.lmdb.path)).toEqual(before);
    await writer.close();
  });
});

describe('requireFreePort', () => {
  it('rejects with the port that is in use', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const gateway = { ...createSetup({}, {}, folder).config.gateway, host: '127.0.0.1', port };
    await expect(requireFreePort(gateway)).rejects.toThrow(`Port ${port}: another program listens there`);
    await new Promise((resolve) => server.close(resolve));
    expect(await requireFreePort(gateway)).toBe(port);
  });

  it('gives a free port for 0', async () => {
    expect(await requireFreePort({ host: '127.0.0.1', port: 0 })).toBeGreaterThan(0);
  });

  it.each(['192.0.2.9', 'nowhere.invalid'])('rejects %s, which is no address of this machine', async (host) => {
    await expect(requireFreePort({ host, port: 0 })).rejects.toThrow(`${host} is no address of this machine`);
  });
});

describe('chooseOperationsPort', () => {
  it('gives the configured port or a free one', async () => {
    const { ops } = createSetup({}, {}, folder).config;
    expect(await chooseOperationsPort({ ...ops, gatewayPort: 1234 })).toBe(1234);
    const chosen = await chooseOperationsPort(ops);
    await requireFreePort({ host: ops.host, port: chosen });
  });
});
