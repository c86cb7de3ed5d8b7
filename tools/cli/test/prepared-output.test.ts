import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const RUN = path.join(__dirname, '../../run');
/** Longer than a build takes that has nothing to compile. */
const COMPILING_MS = 4_000;

/** A workspace of which `npx antelope-history` has to install the packages and to compile the programs. */
const FILES = {
  'package.json': JSON.stringify({ engines: { node: '>=20.19' } }),
  'npm.js': `console.log('added 1 package');`,
  'node_modules/typescript/bin/tsc': `setTimeout(() => console.log('a message of the compiler'), ${COMPILING_MS});`,
  'tools/cli/dist/main.js': `console.log('block_num,global_sequence');`,
  'tools/store-maintenance/dist/verify-main.js': 'process.stdout.write(process.cwd());',
  'tools/quick-start/dist/main.js': 'process.stdout.write(JSON.stringify(process.argv.slice(2)));',
  'tools/conformance/dist/main.js': 'process.stdout.write(process.cwd());',
};

describe('what a command prints', () => {
  let workspace: string;
  beforeAll(() => {
    workspace = mkdtempSync(path.join(tmpdir(), 'antelope-history-'));
    for (const [file, text] of Object.entries(FILES)) {
      mkdirSync(path.dirname(path.join(workspace, file)), { recursive: true });
      writeFileSync(path.join(workspace, file), text);
    }
    cpSync(RUN, path.join(workspace, 'tools/run'), { recursive: true });
  });
  afterAll(() => rmSync(workspace, { recursive: true }));

  it('has nothing of its installation and compilation, so that it can go to another program', async () => {
    const command = [path.join(workspace, 'tools/run/antelope-history.mjs'), 'export'];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, command, {
      env: { ...process.env, npm_execpath: path.join(workspace, 'npm.js') },
    });
    expect(stdout).toBe('block_num,global_sequence\n');
    for (const message of ['Installing', 'added 1 package', 'Compiling', 'a message of the compiler']) {
      expect(stderr).toContain(message);
    }
  });

  it('of npm run begins a path with the home directory after an equals sign, too', async () => {
    const args = ['tools/run/run.mjs', 'start', '--data=~/history', '--config=~', '--host=~x'];
    const env = { ...process.env, npm_execpath: path.join(workspace, 'npm.js'), HOME: '/home/alice' };
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: workspace, env });
    expect(JSON.parse(stdout)).toEqual(['--data=/home/alice/history', '--config=/home/alice', '--host=~x']);
  });

  it.each(['verify', 'conformance'])('of npm run is from the folder where npm was called: %s', async (command) => {
    const caller = realpathSync(path.join(workspace, 'tools'));
    const { stdout } = await promisify(execFile)(process.execPath, ['tools/run/run.mjs', command], {
      cwd: workspace,
      env: { ...process.env, npm_execpath: path.join(workspace, 'npm.js'), INIT_CWD: caller },
    });
    expect(stdout).toBe(caller);
  });
});
