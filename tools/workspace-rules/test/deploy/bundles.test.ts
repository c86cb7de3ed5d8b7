import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { DEPLOYED_APPS, WORKSPACE_ROOT } from '../../src';

/** The distributed set at a port where no server listens, and free ports for the apps' own listeners. */
const UNREACHABLE = {
  HISTORY_STORE__KIND: 'elasticsearch',
  HISTORY_STORE__ELASTICSEARCH__URLS: 'http://127.0.0.1:9',
  HISTORY_BROKER__KIND: 'rabbitmq',
  HISTORY_BROKER__RABBITMQ__URL: 'amqp://127.0.0.1:9',
  HISTORY_KEY_VALUE__KIND: 'redis',
  HISTORY_KEY_VALUE__REDIS__URL: 'redis://127.0.0.1:9',
};

/**
 * The apps that are bundled here, one of each size, with the last log line that they write while the servers are
 * unavailable. `npx nx image` does the same for every app; copying all of them takes minutes.
 */
const LAST_LINE: Record<string, object> = {
  indexer: { code: 'BROKER_UNAVAILABLE' },
  gateway: { msg: 'listening' },
  standalone: { code: 'STORE_UNAVAILABLE' },
};
const BUNDLED_APPS = DEPLOYED_APPS.filter(({ name }) => name in LAST_LINE);

describe.each(BUNDLED_APPS)('the bundle of $name', ({ name, portVariable, operationsVariable }) => {
  let folder: string;
  const main = `apps/${name}/dist/main.js`;
  const portsOf = { [portVariable]: '0', [operationsVariable]: '0' };

  beforeAll(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'antelope-history-bundle-'));
    const script = path.join(WORKSPACE_ROOT, 'deploy/docker/bundle-app.mjs');
    const { status, stderr } = spawnSync(process.execPath, [script, name, folder], { encoding: 'utf8' });
    expect([status, status === 0 ? '' : stderr]).toEqual([0, '']);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('has no other app, no tool, no test and no source', () => {
    expect(readdirSync(path.join(folder, 'apps'))).toEqual([name]);
    expect(readdirSync(folder).sort()).toEqual(['apps', 'libs', 'node_modules']);
    const files = ['apps', 'libs']
      .flatMap((group) => readdirSync(path.join(folder, group), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'));
    expect(
      files.filter(
        (file) => !/^package\.json$|\.example\.json$|\.(js|css|svg)$/.test(file.name) || /test/.test(file.name),
      ),
    ).toEqual([]);
    expect(existsSync(path.join(folder, 'node_modules/typescript'))).toBe(false);
  });

  it('reports an invalid configuration', () => {
    const env = { HISTORY_GATEWAY__PORT: 'wrong' };
    const { status, stdout } = spawnSync(process.execPath, [main], { cwd: folder, env, encoding: 'utf8' });
    expect([status, stdout]).toEqual([1, expect.stringContaining('"code":"CONFIG_INVALID"')]);
  });

  it('starts up to the point where it needs a server', async () => {
    const env = { ...UNREACHABLE, ...portsOf };
    const child = spawn(process.execPath, [main], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
    const expected = Object.entries(LAST_LINE[name] ?? {});
    const lines: string[] = [];
    try {
      for await (const line of createInterface({ input: child.stdout })) {
        lines.push(line);
        const entry = JSON.parse(line) as Record<string, unknown>;
        if (expected.every(([key, value]) => entry[key] === value)) return;
      }
    } finally {
      child.kill('SIGKILL');
    }
    throw new Error(`${name} ended before that: ${lines.join('\n')}`);
  });
});
