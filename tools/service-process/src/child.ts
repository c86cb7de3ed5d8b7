import { spawn, type ChildProcess } from 'node:child_process';
import { on, once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';

const WORKSPACE = path.resolve(__dirname, '../../..');

/** Runs a built program of the workspace; the caller ends it with `stop`. */
export function startProgram(file: string, args: string[], environment: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, [path.join(WORKSPACE, file), ...args], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/**
 * The lines that a program prints. The program's output is read on when nobody takes lines any more, so that it never
 * waits for a reader.
 */
export async function* outputLines(child: ChildProcess): AsyncGenerator<string> {
  if (!child.stdout) throw new Error('the program has no output');
  const lines = createInterface({ input: child.stdout });
  for await (const [line] of on(lines, 'line', { close: ['close'] }) as AsyncIterable<[string]>) yield line;
}

/** The first line that a program prints. */
export async function firstLine(child: ChildProcess): Promise<string> {
  for await (const line of outputLines(child)) return line;
  throw new Error(`a program ended without a word`);
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** Peak resident memory of a running process in bytes; undefined where the system does not tell (only Linux does). */
export function peakMemory(pid: number): number | undefined {
  return readStatus(pid, 'VmHWM');
}

/** Resident memory of a running process now, in bytes; undefined where the system does not tell. */
export function currentMemory(pid: number): number | undefined {
  return readStatus(pid, 'VmRSS');
}

function readStatus(pid: number, field: string): number | undefined {
  try {
    const kib = new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kib === undefined ? undefined : Number(kib) * 1024;
  } catch {
    return undefined;
  }
}
