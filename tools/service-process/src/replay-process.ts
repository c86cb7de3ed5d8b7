import type { ChildProcess } from 'node:child_process';
import { firstLine, startProgram } from './child';

/** Serves a recording on a free port, from a process of its own; `options` are further ones of its command line. */
export async function startReplay(
  folder: string,
  options: string[] = [],
): Promise<{ child: ChildProcess; url: string }> {
  const child = startProgram('tools/ship-replay/dist/main.js', ['--recording', folder, '--port', '0', ...options]);
  const url = (await firstLine(child)).split(' ')[0] as string;
  return { child, url };
}
