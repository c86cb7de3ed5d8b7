import { createProgressView } from '@antelope-history/quick-start/progress';
import { HistoryError } from '@antelope-history/schemas';
import { runVerify } from './verify-command';

/** The program behind `npm run verify`. */
async function main(): Promise<void> {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interrupted.abort());
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  try {
    process.exitCode = await runVerify({
      args: process.argv.slice(2),
      environment: process.env,
      print,
      progress: createProgressView(process.stderr),
      signal: interrupted.signal,
    });
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error;
    process.stderr.write(`${error.code}: ${error.message}\n`);
    process.exitCode = 2;
  }
}

void main();
