import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openSample } from '@antelope-history/recordings';
import { createShipReplay, type ShipReplay } from '@antelope-history/ship-replay';
import { APP_NAMES } from '../src/app-needs';
import { checkConfig } from '../src/check-config';

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

  /** Runs the command on a configuration that is in order but for the age of the recorded chain. */
  async function run(args: string[], settings: object = {}) {
    const file = path.join(folder, 'config.json');
    const inOrder = { ship: { urls: [node.url] }, store: { path: path.join(folder, 'data') }, gateway: { port: 0 } };
    writeFileSync(file, JSON.stringify({ ...inOrder, ...settings }));
    const lines: string[] = [];
    const print = (line: string): void => void lines.push(line);
    const status = await checkConfig({ args: ['--config', file, ...args], environment: {}, print, now: Date.now });
    return { status, lines };
  }

  it('prints a line for each check in a fixed order, and ends with 0 when nothing is wrong', async () => {
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
      '8 ok, 1 to look at, 0 wrong, 0 not checked',
    ]);
    expect(status).toBe(0);
  });

  it('says all that is wrong, not the first alone, and ends with 1', async () => {
    const { status, lines } = await run([], {
      ship: { urls: ['ws://127.0.0.1:1'] },
      store: { path: '/proc/history' },
    });
    expect(lines.filter((line) => line.startsWith('WRONG'))).toEqual([
      expect.stringMatching(/^WRONG {4}ship 127.0.0.1:1: nothing listens .* -> .*ship\.urls$/),
      expect.stringMatching(/^WRONG {4}lmdb directory: \/proc cannot be written -> .*store\.path$/),
    ]);
    expect(status).toBe(1);
  });

  it('prints JSON for machines', async () => {
    const { lines } = await run(['--json', '--for', 'standalone']);
    const results = lines.map((line) => JSON.parse(line) as Record<string, string>);
    expect(results).toHaveLength(9);
    for (const result of results) expect(Object.keys(result)).toEqual(['check', 'outcome', 'id', 'what', 'change']);
    expect(results.map(({ outcome }) => outcome)).toContain('warning');
  });

  it('tells a wrong configuration as a result, with status 1', async () => {
    const { status, lines } = await run(['--json'], { store: { kind: 'tape' } });
    expect(status).toBe(1);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        check: 'configuration',
        outcome: 'wrong',
        id: 'configuration.invalid',
        what: 'store.kind: takes one of lmdb, elasticsearch',
        change: 'docs/configuration.md has every key',
      },
    ]);
  });

  it.each(APP_NAMES)('checks what %s needs', async (app) => {
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

  it('finds that apps apart need a broker and a key-value store that others reach', async () => {
    const broker = await run(['--for', 'deserializer', '--json']);
    expect(broker.lines[0]).toContain('configuration.memory_broker');
    const keyValue = await run(['--for', 'indexer', '--json'], { broker: { kind: 'rabbitmq' } });
    expect(keyValue.lines[0]).toContain('configuration.memory_key_value');
  });

  it('takes no option that it does not know, and shows those that it does', async () => {
    await expect(run(['--for', 'nobody'])).rejects.toThrow('--for takes one of reader, deserializer');
    await expect(run(['--quiet'])).rejects.toThrow('--json');
    const { lines } = await run(['--help']);
    expect(lines.join('\n')).toContain('--for APP');
  });
});
