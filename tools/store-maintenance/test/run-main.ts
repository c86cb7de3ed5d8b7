import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** The environment of a program whose store is the data directory. */
export const onDirectory = (data: string): NodeJS.ProcessEnv => ({ HISTORY_STORE__LMDB__PATH: data });

/** Starts a built program of this project in a process of its own, as operators do. */
export function startMain(
  name: string,
  environment: NodeJS.ProcessEnv,
  args: string[],
): ChildProcessWithoutNullStreams {
  const main = path.resolve(__dirname, `../dist/${name}.js`);
  return spawn(process.execPath, [main, ...args], { env: { PATH: process.env['PATH'], ...environment } });
}

interface EndedMain {
  /** Null if a signal has ended it. */
  status: number | null;
  signal: NodeJS.Signals | null;
  /** Both of its streams. */
  output: string;
}

/** Runs it to its end. */
export function runMain(...start: Parameters<typeof startMain>): Promise<EndedMain> {
  return ended(startMain(...start));
}

export async function ended(child: ChildProcessWithoutNullStreams): Promise<EndedMain> {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += String(bytes)));
  const [status, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { status, signal, output };
}
