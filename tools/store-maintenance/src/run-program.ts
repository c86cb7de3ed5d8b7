import {
  createProgressView,
  type ProgressView,
  stopWithOutput,
  withoutControls,
} from '@antelope-history/quick-start/progress';
import { HistoryError } from '@antelope-history/schemas';

/** The parts of the process that a command uses. */
export interface CommandHost {
  args: string[];
  environment: NodeJS.ProcessEnv;
  /** Standard output. */
  print(line: string): void;
  progress: ProgressView;
  /** Aborts at Ctrl-C. */
  signal: AbortSignal;
}

/**
 * Runs a command as the program of this process. Its errors end it with status 2, `STOPPED` by the signal that interrupted it, which shells
 * show as status 130 (SIGINT), 143 or 129.
 */
export async function runProgram(command: (host: CommandHost) => Promise<number>): Promise<void> {
  const interrupted = new AbortController();
  let received: NodeJS.Signals = 'SIGTERM';
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      received = signal;
      interrupted.abort();
    });
  }
  stopWithOutput(() => interrupted.abort());
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  try {
    process.exitCode = await command({
      args: process.argv.slice(2),
      environment: process.env,
      print,
      progress: createProgressView(process.stderr),
      signal: interrupted.signal,
    });
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error;
    process.stderr.write(`${withoutControls(`${error.code}: ${error.message}`)}\n`);
    process.exitCode = 2;
    // What cannot be interrupted, such as LMDB's copy of a data file, ends with the process.
    if (error.code === 'STOPPED' && interrupted.signal.aborted) process.kill(process.pid, received);
  }
}
