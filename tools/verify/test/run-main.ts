import { spawn } from 'node:child_process';
import path from 'node:path';

/**
 * Runs a built program of this project on a data directory, in a process of its own, as operators do. `output` has both of its
 * streams.
 */
export async function runMain(
  name: string,
  data: string,
  args: string[],
): Promise<{ status: number | null; output: string }> {
  const main = path.resolve(__dirname, `../dist/${name}.js`);
  const environment = { PATH: process.env['PATH'], HISTORY_STORE__LMDB__PATH: data };
  const child = spawn(process.execPath, [main, ...args], { env: environment });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += String(bytes)));
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { status, output };
}
