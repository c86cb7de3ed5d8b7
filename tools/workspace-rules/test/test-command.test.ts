import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
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

describe('the runner of npm test', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-runner-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Runs Jest on files as `npm test` does; returns the printed lines. */
  async function run(files: Record<string, string>): Promise<string[]> {
    for (const [name, content] of Object.entries(files)) writeFileSync(path.join(folder, name), content);
    const config = path.join(folder, 'jest.config.js');
    const script = `
      import { runJest } from ${JSON.stringify(pathToFileURL(path.join(RUN, 'run-jest.mjs')))};
      import { summarise } from ${JSON.stringify(pathToFileURL(path.join(RUN, 'test-summary.mjs')))};
      import { Phases } from ${JSON.stringify(pathToFileURL(path.join(RUN, 'phases.mjs')))};
      const phases = new Phases();
      phases.begin('tests');
      const run = await runJest(['--config', ${JSON.stringify(config)}, '--maxWorkers', '2']);
      process.stdout.write(summarise([run], phases.finish()).join('\\n'));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
    return stdout.split('\n');
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
    'counts a run without any test as a failure',
    async () => {
      const lines = await run({ 'jest.config.js': FILES['jest.config.js'] });
      expect(lines.at(-1)).toBe('0 passed, 1 failed');
    },
    LIMIT_MS,
  );
});

describe('the order of the suites', () => {
  it('names only files that exist', () => {
    const { LONGEST } = jest.requireActual<{ LONGEST: string[] }>(path.join(WORKSPACE_ROOT, 'jest.sequencer.cjs'));
    expect(LONGEST.length).toBeGreaterThan(0);
    expect(LONGEST.filter((file) => !existsSync(path.join(WORKSPACE_ROOT, file)))).toEqual([]);
  });
});
