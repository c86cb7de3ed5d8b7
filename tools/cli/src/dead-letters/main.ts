import { stopWithOutput, withoutControls } from '@antelope-history/quick-start/progress';
import { HistoryError } from '@antelope-history/schemas';
import { runDeadLetters } from './dead-letters';

/** The program behind `npm run dead-letters`. */
async function main(): Promise<void> {
  // The command is short: nothing has to be stopped.
  stopWithOutput(() => undefined);
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  try {
    await runDeadLetters({ args: process.argv.slice(2), environment: process.env, print });
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error;
    process.stderr.write(`${withoutControls(`${error.code}: ${error.message}`)}\n`);
    process.exitCode = 2;
  }
}

void main();
