import { execFile, execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { WORKSPACE_ROOT } from '../src';

interface Command {
  inProcess?: string;
  node?: string[];
}

interface Output {
  code?: unknown;
  stdout: string;
  stderr: string;
}

/** What package.json passes before the options of the person. */
const FIRST_ARGUMENTS: Record<string, string[]> = { services: ['up'] };

/** Options that exist, with values that are none. */
const WRONG_VALUES = [
  ['conformance', '--recording', 'nowhere'],
  ['conformance', '--set', 'x'],
  ['fuzz', '--requests', 'many'],
  ['fuzz', '--raw', '--rounds', '0'],
  ['hostile', '--attack', 'none'],
  ['load', '--connections', 'x'],
  ['load', '--seconds', '-1'],
  ['simulate', '--seeds', '1', '--parallel', 'x'],
  ['check-config', '--for', 'nobody'],
  ['verify', '--from', 'x'],
  ['dead-letters', '--resend', 'nothing'],
  ['start', '--port', 'x'],
];

const commands = JSON.parse(
  execFileSync(process.execPath, [
    '--input-type=module',
    '-e',
    `import { COMMANDS } from ${JSON.stringify(pathToFileURL(path.join(WORKSPACE_ROOT, 'tools/run/commands.mjs')))};
    console.log(JSON.stringify(COMMANDS));`,
  ]).toString(),
) as Record<string, Command>;

/** Runs the built program of a command; ends it when it begins to work. */
async function run([name = '', ...args]: string[]): Promise<Output> {
  const { inProcess, node } = commands[name] ?? {};
  const script = path.join(WORKSPACE_ROOT, inProcess ?? node?.[0] ?? '');
  const options = { encoding: 'utf8', timeout: 30_000 } as const;
  const child = promisify(execFile)(process.execPath, [script, ...(FIRST_ARGUMENTS[name] ?? []), ...args], options);
  const [{ value, reason }] = (await Promise.allSettled([child])) as [{ value?: Output; reason?: Output }];
  return { code: 0, stdout: '', stderr: '', ...(value ?? reason) };
}

describe('the commands of npm run', () => {
  // The scripts of `docs` take no options.
  const names = Object.keys(commands).filter((name) => name !== 'docs');

  it.each(
    [...names.map((name) => [name, '--no-such-option']), ...WRONG_VALUES].map((words) => [words.join(' '), words]),
  )(
    'end with status 2 and without a stack trace: %s',
    async (_, words) => {
      const { code, stdout, stderr } = await run(words);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/^\S/);
      expect(stderr).not.toMatch(/^ +at /m);
    },
    40_000,
  );

  it.each([
    ['run.mjs', 'no-such-command'],
    ['release.mjs', '--no-such-option'],
  ])('end with status 2 when %s gets %s', (script, option) => {
    const command = [path.join(WORKSPACE_ROOT, 'tools/run', script), option];
    const { status, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' });
    expect([status, stderr]).toEqual([2, expect.stringMatching(/^(usage: |The options are )/)]);
  });

  it.each(names)('print their help only: %s', async (name) => {
    const { code, stdout, stderr } = await run([name, '--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(name === 'start' ? 'npm start' : `npm run ${name}`);
  });
});
