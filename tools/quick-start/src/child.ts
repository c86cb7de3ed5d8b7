import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** The built one: a test that runs this from its source starts built programs too. */
const FOLLOW_PARENT = path.resolve(__dirname, '../dist/follow-parent.js');
/** Beyond the service's own limit for stopping. */
const STOP_LIMIT_MS = 12_000;

/**
 * Starts a built program. It stops when this process ends in whatever way. A group of its own keeps it from the
 * terminal's Ctrl-C: the launcher stops its children in order.
 */
export function startChild(script: string, args: string[], environment: NodeJS.ProcessEnv): ChildProcess {
  return fork(script, args, {
    env: environment,
    execArgv: ['--require', FOLLOW_PARENT],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: process.platform !== 'win32',
  });
}

/** Resolves when the child has ended; one that does not stop in time is killed. */
export async function stopChild(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const limit = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
  clearTimeout(limit);
}

export function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
