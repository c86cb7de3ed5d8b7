import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { sampleFolder } from '@antelope-history/test-support/recordings';
import { blocksRequest, ShipClient } from './ship-client';

const project = path.join(__dirname, '..');
const main = path.join(project, 'dist', 'main.js');

/** Runs the built program, as an operator does. */
function run(...args: string[]): ChildProcess {
  return spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
}

async function firstLine(stream: NodeJS.ReadableStream | null): Promise<string> {
  if (!stream) throw new Error('no output');
  const [line] = (await once(createInterface(stream), 'line')) as [string];
  return line;
}

describe('ship-replay', () => {
  beforeAll(() => {
    execFileSync(process.execPath, [
      require.resolve('typescript/bin/tsc'),
      '--build',
      path.join(project, 'tsconfig.lib.json'),
    ]);
  }, 120_000);

  it('serves a folder and ends on SIGTERM', async () => {
    const child = run('--recording', sampleFolder('eosio20-edge'), '--port', '0', '--at-end');
    const line = await firstLine(child.stdout);
    const [url] = /ws:\S+/.exec(line) ?? [''];
    expect(line).toContain('message 298 of 298');
    const client = await ShipClient.connect(url);
    client.send(blocksRequest({ start: 5, end: 7 }));
    expect((await client.results(2)).map(({ thisBlock }) => thisBlock?.num)).toEqual([5, 6]);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(await client.closed).toBe(1006);
  });

  it.each([
    [[], '--recording is required'],
    [['--recording', 'nowhere'], 'nowhere/ship.abi.json can not be read'],
    [['--recording', 'x', '--port', '70000'], '--port takes an integer from 0 to 65535'],
    [['--recording', 'x', '--speed', '0'], '--speed takes a number above 0'],
    [['--recording', 'x', '--at-end', '--position', '3'], 'exclude each other'],
    [['--recording', 'x', '--chain-id', 'abc'], '64 hex digits'],
    [['--faster'], "Unknown option '--faster'"],
  ])('rejects %j with a message that names the option', async (args, message) => {
    const child = run(...args);
    const exited = once(child, 'exit');
    expect(await firstLine(child.stderr)).toContain(message);
    expect(await exited).toEqual([1, null]);
  });
});
