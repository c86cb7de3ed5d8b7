import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { lastLines } from './command';
import { identify, isRunning, type ProcessIdentity } from './process-identity';

const POLL_MS = 50;
const STOP_LIMIT_MS = 15_000;

export interface BackgroundOptions {
  environment: NodeJS.ProcessEnv;
  folder: string;
  /** Receives standard output and standard error. */
  logFile: string;
  /** The user to run as, when it is not the user of this process. */
  user?: { uid: number; gid: number } | undefined;
}

/** Starts a program that outlives this process, as the leader of a process group. */
export function startInBackground([program = '', ...args]: string[], options: BackgroundOptions): ProcessIdentity {
  const log = openSync(options.logFile, 'a');
  try {
    const child = spawn(program, args, {
      cwd: options.folder,
      env: options.environment,
      stdio: ['ignore', log, log],
      detached: true,
      ...options.user,
    });
    // Reported below: a program that could not be started has no process id.
    child.on('error', () => undefined);
    child.unref();
    const identity = identify(child.pid ?? 0);
    if (!identity) throw new Error(`${program} does not start`);
    return identity;
  } finally {
    closeSync(log);
  }
}

/**
 * Sends SIGTERM, or another signal, to a process and the group that it leads, and SIGKILL when it does not end within
 * STOP_LIMIT_MS.
 */
export async function stopGroup(leader: ProcessIdentity, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (!isRunning(leader)) return;
  signalGroup(leader, signal);
  const limit = Date.now() + STOP_LIMIT_MS;
  while (isRunning(leader) && Date.now() < limit) await sleep(POLL_MS);
  signalGroup(leader, 'SIGKILL');
}

function signalGroup({ pid }: ProcessIdentity, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // No process of the group is left.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Resolves when `check` does; rejects with the end of the log when the program ends or `limitMs` have passed. */
export async function untilHealthy(
  check: () => Promise<void>,
  watched: { leader: ProcessIdentity; logFile: string },
  limitMs: number,
): Promise<void> {
  const limit = Date.now() + limitMs;
  while (true) {
    try {
      await check();
      return;
    } catch (error) {
      if (!isRunning(watched.leader) || Date.now() > limit) throw startFailure(watched.logFile, error as Error);
    }
    await sleep(POLL_MS);
  }
}

function startFailure(logFile: string, error: Error): Error {
  const said = lastLines(readFileSync(logFile, 'utf8'));
  return new Error(`it did not start: ${said || error.message}`, { cause: error });
}
