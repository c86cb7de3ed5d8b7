import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { NX_ENVIRONMENT, NX_SCRIPT, WORKSPACE_ROOT } from '../../src';

const STOP_LIMIT_MS = 15_000;

describe('npx nx serve', () => {
  let folder: string;
  let nx: ChildProcessByStdio<null, Readable, null> | undefined;
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'antelope-history-serve-'));
  });
  afterEach(() => {
    nx?.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  /** Serves an app that is already built: the build runs before the tests. */
  function serve(app: string, ...args: string[]): ChildProcessByStdio<null, Readable, null> {
    return spawn(process.execPath, [NX_SCRIPT, 'serve', app, '--excludeTaskDependencies', ...args], {
      cwd: WORKSPACE_ROOT,
      env: { ...process.env, ...NX_ENVIRONMENT },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  }

  it('runs an app with a given configuration, and stops it when it stops', async () => {
    const config = path.join(folder, 'config.json');
    writeFileSync(config, JSON.stringify({ gateway: { host: '127.0.0.1', port: 0 } }));
    nx = serve('gateway', '--config', config);
    const url = await readUrl(nx.stdout);
    expect((await fetch(`${url}/live`)).status).toBe(200);

    nx.kill('SIGINT');
    await once(nx, 'exit');
    const limit = Date.now() + STOP_LIMIT_MS;
    while (Date.now() < limit && (await isServed(`${url}/live`))) await sleep(100);
    expect(await isServed(`${url}/live`)).toBe(false);
  });
});

/** The URL in the app's log line `listening`. */
async function readUrl(output: Readable): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const [, url] = /"url":"(http:[^"]+)","msg":"listening"/.exec(line) ?? [];
    if (url !== undefined) {
      output.resume();
      return url;
    }
  }
  throw new Error('the app ended before it listened');
}

async function isServed(url: string): Promise<boolean> {
  return fetch(url).then(
    (response) => response.ok,
    () => false,
  );
}
