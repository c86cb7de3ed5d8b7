import { createProgressView, stopWithOutput, withoutControls } from '@antelope-history/quick-start/progress';
import { HistoryError } from '@antelope-history/schemas';
import type { CommandHost } from './verify-command';

/** Runs a command as the program of this process; its errors end it with status 2. */
export async function runProgram(command: (host: CommandHost) => Promise<number>): Promise<void> {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => interrupted.abort());
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
  }
}
