import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describeWithService } from '@antelope-history/servers';

const MAIN = path.resolve(__dirname, '../dist/main.js');

/** The built commands, with a program in place of Docker that records its arguments. */
describeWithService(['elasticsearch', 'rabbitmq', 'redis'], (...urls) => {
  let folder: string;
  const asked = (): string[] => readFileSync(path.join(folder, 'asked'), 'utf8').trim().split('\n');
  const timesAsked = (command: string): number => asked().filter((line) => line.includes(` ${command} `)).length;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-commands-'));
    const [elasticsearch, rabbitmq, redis] = urls.map((url) => new URL(url).host);
    const docker = path.join(folder, 'docker');
    writeFileSync(
      docker,
      `#!/bin/sh
       echo "$* " >> ${folder}/asked
       case "$*" in
         *' port elasticsearch 9200') echo ${elasticsearch};;
         *' port rabbitmq 5672') echo ${rabbitmq};;
         *' port redis 6379') echo ${redis};;
         *' up '*) sleep 0.3;;
       esac`,
    );
    chmodSync(docker, 0o755);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  async function run(...args: string[]): Promise<string> {
    const env = { PATH: `${folder}${path.delimiter}${process.env['PATH'] ?? ''}`, TMPDIR: folder };
    return (await promisify(execFile)(process.execPath, [MAIN, ...args], { env })).stdout;
  }

  it('start the servers once for concurrent callers, and stop them once', async () => {
    const outputs = await Promise.all([run('up'), run('up'), run('up')]);
    for (const output of outputs) for (const url of urls) expect(output).toContain(url);
    expect(timesAsked('up')).toBe(1);
    expect(await run('stop')).toBe('');
    await run('stop');
    expect(timesAsked('down')).toBe(1);
    await run('up');
    expect(timesAsked('up')).toBe(2);
  });

  it('keep the servers running while a process holds them', async () => {
    const users = [0, 1].map(() => spawn('sleep', ['60']));
    const [first, second] = users.map(({ pid }) => String(pid));
    await run('hold', first as string);
    await run('hold', second as string);
    await run('hold', second as string);
    for (const user of [first, second]) await run('release', user as string);
    expect(timesAsked('down')).toBe(0);
    await run('up');
    expect(await run('stop')).toContain(`In use by process ${second}`);
    expect(timesAsked('down')).toBe(0);
    for (const user of users) {
      user.kill('SIGKILL');
      await once(user, 'exit');
    }
    await run('stop');
    expect(timesAsked('down')).toBe(1);
    expect(timesAsked('up')).toBe(1);
  });
});
