import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withLock } from './lock';
import { identify } from './process-identity';

describe('withLock', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-lock-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it('runs one piece of work at a time, and all of them in the end', async () => {
    let inside = 0;
    const most: number[] = [];
    const enter = () =>
      withLock(folder, 10_000, async () => {
        most.push(++inside);
        await sleep(2);
        inside--;
      });
    await Promise.all(Array.from({ length: 8 }, enter));
    expect(most).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('frees the lock when the work fails', async () => {
    await expect(withLock(folder, 1000, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(withLock(folder, 1000, () => Promise.resolve('in'))).resolves.toBe('in');
  });

  it.each([
    ['a process that ended', () => ({ pid: spawnSync('true').pid, startedAt: '1' })],
    ['another process of that number', () => ({ pid: process.pid, startedAt: 'long ago' })],
  ])('takes the lock of %s', async (_, holder) => {
    writeFileSync(path.join(folder, 'lock'), JSON.stringify(holder()));
    await expect(withLock(folder, 1000, () => Promise.resolve('in'))).resolves.toBe('in');
  });

  it('does not wait longer than its limit for a live holder', async () => {
    writeFileSync(path.join(folder, 'lock'), JSON.stringify(identify(process.ppid)));
    await expect(withLock(folder, 300, () => Promise.resolve())).rejects.toThrow(/too long/);
  });
});
