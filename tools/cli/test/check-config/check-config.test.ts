import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openLmdbStoreWriter } from '@antelope-history/store-lmdb/writer';
import { createShipReplay, type ShipReplay } from '@antelope-history/ship-replay';
import { openSample } from '@antelope-history/test-support/recordings';
import { APP_NAMES } from '../../src/check-config/app-needs';
import { checkConfig } from '../../src/check-config';

describe('check-config', () => {
  let folder: string;
  let node: ShipReplay;
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'history-check-config-'));
    node = await createShipReplay({ recording: openSample('leap-edge'), position: 'end' });
  });
  afterAll(async () => {
    await node.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs the command on a valid configuration; only the old clock of the recorded chain causes a warning. */
  async function run(args: string[], settings: object = {}) {
    const file = path.join(folder, 'config.json');
    const valid = {
      ship: { urls: [node.url] },
      store: { lmdb: { path: path.join(folder, 'data') } },
      gateway: { port: 0 },
    };
    writeFileSync(file, JSON.stringify({ ...valid, ...settings }));
    const lines: string[] = [];
    const print = (line: string): void => void lines.push(line);
    const status = await checkConfig({ args: ['--config', file, ...args], environment: {}, print, now: Date.now });
    return { status, lines };
  }

  it('prints a line for each check in a fixed order, and exits with 0 when nothing is wrong', async () => {
    const { status, lines } = await run([]);
    expect(lines.map((line) => line.replace(/: .*/, '').replace(/127\S+/, 'NODE'))).toEqual([
      'ok       configuration',
      'ok       ship NODE',
      'ok       ship NODE history',
      'ok       ship NODE chain',
      'ok       ship NODE start',
      'look at  ship NODE clock',
      'ok       lmdb directory',
      'ok       lmdb data',
      'ok       lmdb writer',
      'ok       lmdb room',
      '9 ok, 1 to look at, 0 wrong, 0 not checked',
    ]);
    expect(status).toBe(0);
  });

  it('prints every fault, not only the first, and exits with 1', async () => {
    const { status, lines } = await run([], {
      ship: { urls: ['ws://127.0.0.1:1'] },
      store: { lmdb: { path: '/proc/history' } },
    });
    expect(lines.filter((line) => line.startsWith('WRONG'))).toEqual([
      expect.stringMatching(/^WRONG {4}ship 127.0.0.1:1: nothing listens .* -> .*ship\.urls$/),
      expect.stringMatching(/^WRONG {4}lmdb directory: \/proc cannot be written -> .*store\.lmdb\.path$/),
    ]);
    expect(status).toBe(1);
  });

  it('reports data that has reached its configured size, where indexing pauses', async () => {
    const full = path.join(folder, 'full');
    await (await openLmdbStoreWriter({ path: full, mapSizeBytes: 0 })).close();
    const { status, lines } = await run([], { store: { lmdb: { path: full, map_size_bytes: 1 } } });
    expect(lines.filter((line) => line.startsWith('WRONG'))).toEqual([
      expect.stringMatching(/^WRONG {4}lmdb room: no block is written to .*store\.lmdb\.map_size_bytes/),
    ]);
    expect(status).toBe(1);
  });

  it('prints JSON on request', async () => {
    const { lines } = await run(['--json', '--for', 'standalone']);
    const results = lines.map((line) => JSON.parse(line) as Record<string, string>);
    expect(results).toHaveLength(10);
    for (const result of results) expect(Object.keys(result)).toEqual(['check', 'outcome', 'id', 'what', 'change']);
    expect(results.map(({ outcome }) => outcome)).toContain('warning');
  });

  it('reports an invalid configuration as a result, with status 1', async () => {
    const { status, lines } = await run(['--json'], { store: { kind: 'tape' } });
    expect(status).toBe(1);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        check: 'configuration',
        outcome: 'wrong',
        id: 'configuration.invalid',
        what: `${path.join(folder, 'config.json')}: store.kind: takes one of lmdb, elasticsearch`,
        change: 'docs/configuration.md lists every key',
      },
    ]);
  });

  it('warns about keys with their former names', async () => {
    const { status, lines } = await run(['--for', 'indexer'], {
      store: { path: path.join(folder, 'data') },
      broker: { kind: 'rabbitmq' },
    });
    expect(lines[0]).toMatch(/^look at {2}configuration keys: .*store\.path .* is now store\.lmdb\.path .* -> use/);
    expect(status).toBe(1);
  });

  it('opens no file of servers that the app does not use', async () => {
    const settings = { key_value: { kind: 'redis', redis: { password_file: '/nowhere/secret' } } };
    const store = { kind: 'elasticsearch', elasticsearch: { password_file: '/nowhere/secret' } };
    const { lines } = await run(['--for', 'reader', '--json'], { store });
    expect(lines.join('\n')).not.toContain('/nowhere/secret');
    const used = await run(['--for', 'reader', '--json'], settings);
    expect(used.lines.join('\n')).toContain('key_value.redis.password_file: /nowhere/secret cannot be read');
  });

  it.each(APP_NAMES)('checks the needs of %s', async (app) => {
    const { lines } = await run(['--for', app, '--json']);
    const checks = lines.map((line) => (JSON.parse(line) as { check: string }).check.split(' ')[0]);
    const expected: Record<typeof app, string[]> = {
      reader: ['configuration', 'ship'],
      deserializer: ['configuration'],
      indexer: ['configuration', 'lmdb'],
      'history-api': ['configuration', 'lmdb', 'port'],
      'chain-api': ['configuration', 'lmdb', 'port'],
      'trace-api': ['configuration', 'lmdb', 'port'],
      gateway: ['configuration', 'history-api', 'chain-api', 'trace-api', 'apis'],
      standalone: ['configuration', 'ship', 'lmdb'],
    };
    expect([...new Set(checks)]).toEqual(expected[app]);
  });

  it('reports that separate apps need a broker and a key-value store that other processes can use', async () => {
    const broker = await run(['--for', 'deserializer', '--json']);
    expect(broker.lines[0]).toContain('configuration.memory_broker');
    const keyValue = await run(['--for', 'indexer', '--json'], { broker: { kind: 'rabbitmq' } });
    expect(keyValue.lines[0]).toContain('configuration.memory_key_value');
  });

  it('names an unknown option and lists the known ones', async () => {
    await expect(run(['--for', 'nobody'])).rejects.toThrow('--for takes one of reader, deserializer');
    await expect(run(['--quiet'])).rejects.toThrow(
      "the command line: Unknown option '--quiet'; the options are --config, --for, --json, --help",
    );
    const { lines } = await run(['--help']);
    expect(lines.join('\n')).toContain('--for APP');
  });
});
