import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import vm from 'node:vm';
import fc from 'fast-check';
import { WORKSPACE_ROOT } from '../src';

const LIMIT_MS = 120_000;

describe('the environment of tests', () => {
  it('is the global object of the process, whose classes errors of Node.js have', () => {
    expect(vm.runInThisContext('Error')).toBe(Error);
    expect(() => readFileSync('/absent')).toThrow(Error);
  });

  it('loads packages once per process and modules of the workspace anew', () => {
    const ofTheProcess = createRequire(__filename);
    expect(fc).toBe((ofTheProcess('fast-check') as { default: unknown }).default);
    expect(
      Object.keys(ofTheProcess.cache).filter((file) => file.startsWith(path.join(WORKSPACE_ROOT, 'libs'))),
    ).toEqual([]);
  });
});

/** Two files that one process runs, in this order. */
const FIRST = `
  it('changes what all files share', () => {
    globalThis.added = 1;
    require('with-global');
    globalThis.fetch = undefined;
    process.env.ADDED_BY_A_TEST = '1';
    delete process.env.PATH;
    process.exitCode = 3;
    process.exit = undefined;
    process.on('SIGTERM', () => undefined);
    expect.addEqualityTesters([() => true]);
    expect.extend({ toBeAnything: () => ({ pass: true }) });
    expect(1).toEqual(2);
    jest.useFakeTimers({ now: 0 });
    jest.spyOn(Math, 'max').mockReturnValue(7);
    const { state } = require('./module');
    state.changes++;
    expect(require('./rewritten').version).toBe(1);
    require('node:fs').writeFileSync(require.resolve('./rewritten'), 'exports.version = 2;');
    require('node:net').createServer().listen(0);
  });`;
const SECOND = `
  it('finds it as it was', () => {
    expect('added' in globalThis).toBe(false);
    require('with-global');
    expect(globalThis.ofPackage).toBe(1);
    expect(fetch).toBeInstanceOf(Function);
    expect([process.env.ADDED_BY_A_TEST, typeof process.env.PATH]).toEqual([undefined, 'string']);
    expect(process.exitCode).toBeUndefined();
    expect(process.exit).toBeInstanceOf(Function);
    expect(process.listenerCount('SIGTERM')).toBe(0);
    expect(() => expect(1).toEqual(2)).toThrow();
    expect(Date.now()).toBeGreaterThan(1);
    expect(Math.max(1, 2)).toBe(2);
    expect(require('./module').state.changes).toBe(0);
    expect(require('./rewritten').version).toBe(2);
  });`;

describe('a test file', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-environment-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it(
    'finds the process as it was before another file, whose open server is named',
    async () => {
      const files = {
        'module.js': 'exports.state = { changes: 0 };',
        'rewritten.js': 'exports.version = 1;',
        'node_modules/with-global/index.js': 'globalThis.ofPackage = 1;',
        'first.test.js': FIRST,
        'second.test.js': SECOND,
        'sequencer.js': `
          const { default: Sequencer } = require(${JSON.stringify(require.resolve('@jest/test-sequencer'))});
          module.exports = class extends Sequencer {
            sort(tests) { return [...tests].sort((left, right) => (left.path < right.path ? -1 : 1)); }
          };`,
        'jest.config.js': `
          const { createJestConfig } = require(${JSON.stringify(path.join(WORKSPACE_ROOT, 'jest.preset.cjs'))});
          const { transform, ...config } = createJestConfig('environment');
          module.exports = { ...config, rootDir: __dirname, testMatch: ['**/*.test.js'], testSequencer: './sequencer.js' };`,
      };
      mkdirSync(path.join(folder, 'node_modules/with-global'), { recursive: true });
      for (const [name, content] of Object.entries(files)) writeFileSync(path.join(folder, name), content);
      const jestProgram = path.join(WORKSPACE_ROOT, 'node_modules/jest/bin/jest.js');
      const args = [
        jestProgram,
        '--runInBand',
        '--forceExit',
        '--json',
        '--config',
        path.join(folder, 'jest.config.js'),
      ];
      const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: folder }).catch(
        (error: unknown) => error as { stdout: string; stderr: string },
      );
      const { testResults } = JSON.parse(stdout) as { testResults: { name: string; message: string }[] };
      expect(testResults.map(({ name, message }) => [path.basename(name), message])).toEqual([
        ['first.test.js', ''],
        ['second.test.js', ''],
      ]);
      expect(stderr.split('\n').filter((line) => line.includes('leaves open'))).toEqual([
        `${path.join(folder, 'first.test.js')} leaves open: TCPServerWrap`,
      ]);
    },
    LIMIT_MS,
  );
});
