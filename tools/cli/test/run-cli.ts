import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';

const MAIN = path.resolve(__dirname, '../dist/main.js');

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
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env });
  const texts = Promise.all([text(child.stdout), text(child.stderr)]);
  const result = once(child, 'exit').then(async ([status]) => {
    const [output, errors] = await texts;
    return { status: status as number | null, output, errors };
  });
  return { child, result };
}

export function runCli(...args: string[]): Promise<CliResult> {
  return startCli(...args).result;
}
