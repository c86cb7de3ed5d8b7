import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { identify, isRunning, type ProcessIdentity } from './process-identity';

const POLL_MS = 100;

/**
 * Runs `work` while this process holds the lock of a folder. A lock whose holder has ended is free. Rejects when the lock
 * is not free within `limitMs`.
 */
export async function withLock<T>(folder: string, limitMs: number, work: () => Promise<T>): Promise<T> {
  const file = path.join(folder, 'lock');
  const limit = Date.now() + limitMs;
  while (!take(file)) {
    if (Date.now() > limit) throw new Error(`another process has held ${file} for too long`);
    await sleep(POLL_MS);
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

function take(file: string): boolean {
  const mine = `${file}.${process.pid}`;
  writeFileSync(mine, JSON.stringify(identify(process.pid)));
  try {
    // Linking is atomic and fails when the name exists.
    linkSync(mine, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    clearWhenAbandoned(file, mine);
    return false;
  } finally {
    rmSync(mine, { force: true });
  }
}

function clearWhenAbandoned(file: string, mine: string): void {
  if (isHeld(file)) return;
  const moved = `${mine}.abandoned`;
  try {
    renameSync(file, moved);
    // Another process may have cleared and taken the lock since the check.
    if (isHeld(moved)) linkSync(moved, file);
  } catch (error) {
    if (!['ENOENT', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    rmSync(moved, { force: true });
  }
}

function isHeld(file: string): boolean {
  try {
    return isRunning(JSON.parse(readFileSync(file, 'utf8')) as ProcessIdentity);
  } catch {
    return false;
  }
}
