import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';

const MOST_OUTPUT_BYTES = 16 * 1024 * 1024;

export interface CommandOptions {
  limitMs: number;
  environment?: NodeJS.ProcessEnv;
  /** What the command reads. */
  input?: string;
  /** Where it runs. */
  folder?: string;
}

/** Runs a command to its end and gives all it printed. Rejects, with what it printed, when it fails or takes too long. */
export function runCommand([program = '', ...args]: string[], options: CommandOptions): Promise<string> {
  const { limitMs, environment, input, folder } = options;
  return new Promise((resolve, reject) => {
    const settings = {
      timeout: limitMs,
      cwd: folder,
      maxBuffer: MOST_OUTPUT_BYTES,
      killSignal: 'SIGKILL',
      env: { ...process.env, ...environment },
    } as const;
    const child = execFile(program, args, settings, (error, stdout, stderr) => {
      if (!error) resolve(`${stdout}${stderr}`);
      else if (error.code === 'ENOENT') reject(new Error(`${program} is not installed`));
      else
        reject(new Error(`${program} failed${error.killed ? ' to end in time' : ''}: ${lastLines(stdout + stderr)}`));
    });
    // One that does not read to the end says itself why.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

/** Where a program is: a path as it stands, a name on PATH; undefined when it is not there. */
export function findProgram(...candidates: string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  const files = candidates.flatMap((candidate) =>
    path.isAbsolute(candidate) ? [candidate] : folders.map((folder) => path.join(folder, candidate)),
  );
  return files.find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The end of what was printed says most of what went wrong. */
export function lastLines(text: string): string {
  return text.trim().split('\n').slice(-8).join('\n').slice(-2000);
}
