import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { WORKSPACE_ROOT } from '../src';

const RUN = path.join(WORKSPACE_ROOT, 'tools/run');
const LIMIT_MS = 120_000;

/** The files of a Jest project whose suites pass, fail in ways that once broke the totals, or do not load. */
const FILES = {
  'jest.config.js': 'module.exports = { testEnvironment: "node" };',
  'passes.test.js': 'it("passes", () => {}); it.skip("is skipped", () => {});',
  'circular.test.js': `
    it('passes beside it', () => {});
    it('has a cause that is itself', () => {
      const error = new Error('outer');
      error.cause = error;
      throw error;
    });
    it('has causes in a circle', () => {
      const outer = new Error('outer');
      outer.cause = new Error('inner', { cause: outer });
      throw outer;
    });
    it('carries what cannot be sent to another process', () => {
      throw Object.assign(new Error('unclonable'), { work: () => undefined });
    });`,
  'unloadable.test.js': 'throw new Error("it does not load");',
};

describe('the commands', () => {
  /** A file of tools/run and those that it imports. */
  function withImports(file: string, known = new Map<string, string>()): Map<string, string> {
    const content = readFileSync(path.join(RUN, file), 'utf8');
    known.set(file, content);
    for (const [, imported = ''] of content.matchAll(/^import [^;]* from '\.\/([^']+)';$/gm))
      if (!known.has(imported)) withImports(imported, known);
    return known;
  }

  it.each(['run.mjs', 'antelope-history.mjs', 'test.mjs'])('say which Node.js %s needs, also to an old one', (file) => {
    const files = withImports(file);
    expect([...files.keys()]).toContain('prepare.mjs');
    // Node.js 20.11 has it, 18 has not.
    for (const [name, content] of files) expect([name, content.includes('import.meta.dirname')]).toEqual([name, false]);
  });
});

describe('the runner of npm test', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-runner-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Starts Jest on files as `npm test -- ARGS` does. */
  function start(files: Record<string, string>, args: readonly string[] = []): ChildProcessWithoutNullStreams {
    for (const [name, content] of Object.entries(files)) writeFileSync(path.join(folder, name), content);
    const config = path.join(folder, 'jest.config.js');
    const jestArgs = [...args, '--config', config, '--maxWorkers', '2'];
    const script = `
      import { runJest } from ${JSON.stringify(pathToFileURL(path.join(RUN, 'run-jest.mjs')))};
      import { runCommand } from ${JSON.stringify(pathToFileURL(path.join(RUN, 'prepare.mjs')))};
      import { summarise } from ${JSON.stringify(pathToFileURL(path.join(RUN, 'test-summary.mjs')))};
      import { Phases } from ${JSON.stringify(pathToFileURL(path.join(RUN, 'phases.mjs')))};
      const phases = new Phases();
      phases.begin('tests');
      await runCommand(async () => {
        const run = await runJest(${JSON.stringify(jestArgs)});
        process.stdout.write(summarise([run], phases.finish()).join('\\n'));
      });`;
    return spawn(process.execPath, ['--input-type=module', '--eval', script]);
  }

  /** Runs it to its end; returns the printed lines. */
  async function run(files: Record<string, string>, args?: readonly string[]): Promise<string[]> {
    return (await text(start(files, args).stdout)).split('\n');
  }

  it(
    'counts every failure, whatever its error holds, and names it with its file before the totals',
    async () => {
      const lines = await run(FILES);
      const at = (name: string): string => path.join(folder, name);
      expect(lines.at(-1)).toBe('2 passed, 4 failed, 1 skipped');
      const failed = lines.slice(lines.indexOf('Failed:') + 1, -2);
      expect(failed.sort()).toEqual([
        `  carries what cannot be sent to another process (${at('circular.test.js')})`,
        `  has a cause that is itself (${at('circular.test.js')})`,
        `  has causes in a circle (${at('circular.test.js')})`,
        `  the file does not run (${at('unloadable.test.js')})`,
      ]);
      const errors = lines.slice(lines.indexOf('The errors:') + 1, lines.indexOf('Failed:') - 1);
      expect(errors.filter((line) => line.startsWith('  /'))).toHaveLength(4);
      expect(errors.filter((line) => line.includes('Error: unclonable'))).toHaveLength(1);
      expect(errors.some((line) => line.includes('it does not load'))).toBe(true);
      expect(lines.filter((line) => /^ +\d+\.\d s {2}\d\/3 {2}(pass|FAIL) {2}/.test(line))).toHaveLength(3);
      expect(lines).toContain(`  is skipped (${at('passes.test.js')})`);
      const time = lines.slice(lines.indexOf('The time:') + 1, lines.indexOf('The time:') + 3);
      for (const [index, phase] of ['tests', 'in total'].entries()) {
        const share = /^ +\d+\.\d s {2}(.+) \(processors (\d+)% busy\)$/.exec(time[index] ?? '');
        expect(share?.[1]).toBe(phase);
        expect(Number(share?.[2])).toBeGreaterThan(0);
        expect(Number(share?.[2])).toBeLessThanOrEqual(100);
      }
    },
    LIMIT_MS,
  );

  it(
    'runs the files that its arguments name, and no others',
    async () => {
      const lines = await run(FILES, ['passes.test.js']);
      expect(lines.at(-1)).toBe('1 passed, 0 failed, 1 skipped');
    },
    LIMIT_MS,
  );

  it(
    'counts a run without any test as a failure',
    async () => {
      const lines = await run({ 'jest.config.js': FILES['jest.config.js'] });
      expect(lines.at(-1)).toBe('0 passed, 1 failed');
    },
    LIMIT_MS,
  );

  it(
    'ends Jest and its workers with itself',
    async () => {
      const waits = (name: string): string => `
        it('never ends', async () => {
          require('node:fs').writeFileSync(${JSON.stringify(path.join(folder, name))}, String(process.pid));
          await new Promise(() => setInterval(() => undefined, 1_000));
        }, ${LIMIT_MS});`;
      const preset = JSON.stringify(path.join(WORKSPACE_ROOT, 'jest.preset.cjs'));
      const runner = start({
        'jest.config.js': `
          const { testEnvironment, runtime } = require(${preset}).createJestConfig('waits');
          module.exports = { testEnvironment, runtime };`,
        'one.test.js': waits('one.pid'),
        'other.test.js': waits('other.pid'),
      });
      const pids = await Promise.all(['one.pid', 'other.pid'].map((name) => readPid(path.join(folder, name))));
      const ended = Promise.all([once(runner, 'close'), text(runner.stderr)]);
      runner.kill('SIGTERM');
      const [[status], errors] = await ended;
      expect([status, errors]).toEqual([1, expect.stringContaining('Ended by SIGTERM.')]);
      while (pids.some(isRunning)) await sleep(20);
    },
    LIMIT_MS,
  );
});

/** Waits until the file has the id of a process. */
async function readPid(file: string): Promise<number> {
  while (!existsSync(file) || readFileSync(file, 'utf8') === '') await sleep(20);
  return Number(readFileSync(file, 'utf8'));
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('the order of the suites', () => {
  it('names only files that exist', () => {
    const { LONGEST } = jest.requireActual<{ LONGEST: string[] }>(path.join(WORKSPACE_ROOT, 'jest.sequencer.cjs'));
    expect(LONGEST.length).toBeGreaterThan(0);
    expect(LONGEST.filter((file) => !existsSync(path.join(WORKSPACE_ROOT, file)))).toEqual([]);
  });
});
