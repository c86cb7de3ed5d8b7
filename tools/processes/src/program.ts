import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

const WORKSPACE = path.resolve(__dirname, '../../..');
/** The built file, also when a test runs this module from its source: the started programs are built ones too. */
const FOLLOW_PARENT = path.resolve(__dirname, '../dist/follow-parent.js');
/** Longer than the time that an app gives itself to stop. */
const STOP_LIMIT_MS = 12_000;

export interface ProgramOptions {
  args?: string[];
  /** Variables that are added to the environment of this process. */
  environment?: NodeJS.ProcessEnv;
  /** `inherit` (the default) shows the program's standard error here; `pipe` leaves it to the caller. */
  stderr?: 'inherit' | 'pipe';
}

/**
 * Runs a built program of the workspace, named by its file below the root. Its standard output is a pipe, which the caller
 * has to read. The caller ends it with `stop`; it also ends when this process ends in any way. It runs in a process group
 * of its own, so that Ctrl-C in a terminal reaches only this process, which stops its children in order.
 */
export function startProgram(file: string, options: ProgramOptions = {}): ChildProcess {
  const { args = [], environment = {}, stderr = 'inherit' } = options;
  return fork(path.join(WORKSPACE, file), args, {
    env: { ...process.env, ...environment },
    execArgv: ['--require', FOLLOW_PARENT],
    stdio: ['ignore', 'pipe', stderr, 'ipc'],
    detached: process.platform !== 'win32',
  });
}

/** Resolves when the child has ended. A child that does not stop within 12 seconds is killed. */
export async function stop(child: ChildProcess): Promise<void> {
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

/** Calls `onLine` with each line of a child's output, and reads the output to its end. */
export function readLines(child: ChildProcess, onLine: (line: string) => void): void {
  for (const output of [child.stdout, child.stderr]) {
    if (output) createInterface({ input: output }).on('line', onLine);
  }
}
