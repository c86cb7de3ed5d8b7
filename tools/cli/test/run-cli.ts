import { type ChildProcess, type ChildProcessByStdio, spawn, type StdioNull, type StdioPipe } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

const MAIN = path.resolve(__dirname, '../dist/main.js');
const STDIO: [StdioNull, StdioPipe, StdioPipe] = ['ignore', 'pipe', 'pipe'];

export interface CliResult {
  status: number | null;
  output: string;
  errors: string;
}

/** A running command; its output is collected. */
export function startCli(...args: string[]): { child: ChildProcess; result: Promise<CliResult> } {
  return startCliIn({}, ...args);
}

/** The same with further environment variables. */
export function startCliIn(
  environment: NodeJS.ProcessEnv,
  ...args: string[]
): { child: ChildProcess; result: Promise<CliResult> } {
  const env = { ...process.env, ...environment };
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: STDIO, env });
  return { child, result: resultOf(child) };
}

export function runCli(...args: string[]): Promise<CliResult> {
  return startCli(...args).result;
}

/** Runs a script of a shell, to which `"$@"` is the command line. */
export function runShell(script: string, ...args: string[]): Promise<CliResult> {
  return resultOf(spawn('bash', ['-c', script, 'bash', process.execPath, MAIN, ...args], { stdio: STDIO }));
}

async function resultOf(child: ChildProcessByStdio<null, Readable, Readable>): Promise<CliResult> {
  const texts = Promise.all([text(child.stdout), text(child.stderr)]);
  const [status] = (await once(child, 'exit')) as [number | null];
  const [output, errors] = await texts;
  return { status, output, errors };
}
