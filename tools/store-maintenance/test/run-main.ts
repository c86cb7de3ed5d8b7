import { spawn } from 'node:child_process';
import path from 'node:path';

/** The environment of a program whose store is the data directory. */
export const onDirectory = (data: string): NodeJS.ProcessEnv => ({ HISTORY_STORE__LMDB__PATH: data });

/** Runs a built program of this project in a process of its own, as operators do. `output` has both of its streams. */
export async function runMain(
  name: string,
  environment: NodeJS.ProcessEnv,
  args: string[],
): Promise<{ status: number | null; output: string }> {
  const main = path.resolve(__dirname, `../dist/${name}.js`);
  const env = { PATH: process.env['PATH'], ...environment };
  const child = spawn(process.execPath, [main, ...args], { env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += String(bytes)));
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { status, output };
}
