import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

export interface CommandOptions {
  limitMs: number;
  environment?: NodeJS.ProcessEnv;
  /** Standard input of the command. */
  input?: string;
  /** Working directory. */
  folder?: string;
}

/** Runs a command and returns its output. Rejects, with the output, when it fails or exceeds `limitMs`. */
export function runCommand([program = '', ...args]: string[], options: CommandOptions): Promise<string> {
  const { limitMs, environment, input, folder } = options;
  return new Promise((resolve, reject) => {
    const settings = {
      timeout: limitMs,
      cwd: folder,
      maxBuffer: MAX_OUTPUT_BYTES,
      killSignal: 'SIGKILL',
      env: { ...process.env, ...environment },
    } as const;
    const child = execFile(program, args, settings, (error, stdout, stderr) => {
      if (!error) resolve(`${stdout}${stderr}`);
      else if (error.code === 'ENOENT') reject(new Error(`${program} is not installed`));
      else
        reject(new Error(`${program} failed${error.killed ? ' to end in time' : ''}: ${lastLines(stdout + stderr)}`));
    });
    // A command that ends before it has read its input reports the reason itself.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

/** The path of the first candidate that is executable; candidates without a path are searched on PATH. */
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

/** The end of an output, which usually names the error. */
export function lastLines(text: string): string {
  return text.trim().split('\n').slice(-8).join('\n').slice(-2000);
}
