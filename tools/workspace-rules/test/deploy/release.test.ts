import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { findFreePorts } from '@antelope-history/servers';
import { readVersion, WORKSPACE_ROOT } from '../../src';

const SCRIPT = path.join(WORKSPACE_ROOT, 'tools/run/release.mjs');
const READY_MS = 120_000;

describe('the archive of a release', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'antelope-history-release-'));
  const name = `antelope-history-${readVersion()}-${process.platform}-${process.arch}`;
  const unpacked = path.join(folder, name);
  /** A machine with nothing but Node.js. */
  const bin = path.join(folder, 'bin');
  const environment = { PATH: bin, HOME: folder };
  let service: ChildProcess | undefined;

  beforeAll(() => {
    const printed = execFileSync(process.execPath, [SCRIPT, '--out', folder], { encoding: 'utf8' });
    expect(printed.trim()).toBe(`${unpacked}.tar.gz`);
    execFileSync('tar', ['-xzf', `${unpacked}.tar.gz`, '-C', folder]);
    mkdirSync(bin);
    symlinkSync(process.execPath, path.join(bin, 'node'));
  }, 120_000);
  afterAll(() => {
    service?.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  const run = (...args: string[]) =>
    spawnSync(path.join(unpacked, 'antelope-history'), args, { cwd: folder, env: environment, encoding: 'utf8' });

  /** Reads the whole body: a response that is not read keeps its connection open. */
  const fetchText = async (url: string) => {
    const response = await fetch(url);
    return { status: response.status, body: await response.text() };
  };

  it('has a digest, and the same contents make the same archive', () => {
    const digest = readFileSync(`${unpacked}.tar.gz.sha256`, 'utf8');
    execFileSync('sha256sum', ['--check', '--quiet', `${name}.tar.gz.sha256`], { cwd: folder });
    execFileSync(process.execPath, [SCRIPT, '--out', path.join(folder, 'again')]);
    expect(readFileSync(path.join(folder, 'again', `${name}.tar.gz.sha256`), 'utf8')).toBe(digest);
  });

  it('has no source, no test and no development package', () => {
    const files = readdirSync(unpacked, { recursive: true, encoding: 'utf8' });
    const own = files.filter((file) => /^(apps|libs|tools)\//.test(file) && !file.includes('node_modules'));
    expect(own.filter((file) => /\.tsx?$|\.test\.|\.map$/.test(file))).toEqual([]);
    const packages = readdirSync(path.join(unpacked, 'node_modules'));
    expect(['typescript', 'jest', 'nx', 'eslint', 'playwright-core'].filter((each) => packages.includes(each))).toEqual(
      [],
    );
    expect(own.length).toBeGreaterThan(300);
  });

  it('has every command', () => {
    expect(run('--version')).toMatchObject({ status: 0, stdout: `${readVersion()}\n` });
    const { stdout } = run('--help');
    const commands = [...stdout.matchAll(/^ {2}([a-z][a-z-]*) +[a-z]/gm)].map(([, command]) => String(command));
    expect(commands.length).toBeGreaterThan(9);
    for (const command of commands.filter((each) => each !== 'antelope-history')) {
      const { status, stdout: help, stderr } = run(command, '--help');
      expect([command, status, stderr, help.length > 100]).toEqual([command, 0, '', true]);
    }
  });

  it('indexes and serves the sample chain on a machine with only Node.js', async () => {
    const [port, opsPort] = await findFreePorts(2);
    const args = ['start', '--port', String(port), '--ops-port', String(opsPort), '--data', path.join(folder, 'data')];
    const child = spawn(path.join(unpacked, 'antelope-history'), args, { cwd: folder, env: environment });
    service = child;
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += String(bytes)));
    const limit = Date.now() + READY_MS;
    while (!output.includes('Ctrl-C') && child.exitCode === null && Date.now() < limit) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(output).toContain('Ready after');
    const response = await fetch(`http://127.0.0.1:${port}/v1/trace_api/get_block`, {
      method: 'POST',
      body: '{"block_num":102}',
    });
    expect(await response.json()).toMatchObject({ number: 102, status: 'irreversible' });
    const page = `http://127.0.0.1:${opsPort}/`;
    const files = [...(await (await fetch(page)).text()).matchAll(/"\.\/(page\/[^"]+)"/g)].map(([, file]) =>
      String(file),
    );
    for (const file of files) {
      const { status, body } = await fetchText(page + file);
      expect([file, status, body.length > 0]).toEqual([file, 200, true]);
    }
    expect(files.length).toBeGreaterThan(6);
    expect(run('verify', '--config', '/dev/null').status).toBe(2);
    child.kill('SIGINT');
    await once(child, 'exit');
    expect(child.exitCode).toBe(0);
  }, 180_000);

  describe('its tag', () => {
    const clone = path.join(folder, 'clone');
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', clone, '-c', 'user.name=x', '-c', 'user.email=x@example.invalid', ...args], {
        encoding: 'utf8',
      });
    beforeAll(() => {
      execFileSync('git', ['clone', '--quiet', WORKSPACE_ROOT, clone]);
    });

    it.each([
      ['a change that is not committed', () => writeFileSync(path.join(clone, 'new-file'), ''), 'Commit or remove'],
      ['changes without a version', () => commitChangelog('## Unreleased\n\n- x\n'), 'has "Unreleased" changes'],
      ['a version that is not described', () => commitChangelog('## 1.0.0\n'), 'has no section "## '],
    ])('is not set with %s', (_what, prepare, message) => {
      git('clean', '--quiet', '--force');
      prepare();
      const { status, stderr } = spawnSync(process.execPath, [path.join(clone, 'tools/run/release.mjs'), '--tag'], {
        encoding: 'utf8',
      });
      expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
      expect(git('tag', '--points-at', 'HEAD')).toBe('');
    });

    function commitChangelog(text: string): void {
      writeFileSync(path.join(clone, 'CHANGELOG.md'), `# Changelog\n\n${text}`);
      git('commit', '--quiet', '--all', '--message', 'x');
    }
  });
});
