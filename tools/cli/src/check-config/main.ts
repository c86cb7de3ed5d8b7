import { stopWithOutput } from '@antelope-history/quick-start/progress';
import { hasErrorCode } from '@antelope-history/schemas';
import { checkConfig } from './check-config';

/** The entry point of `npm run check-config`. */
async function main(): Promise<void> {
  // The command is short: nothing has to be stopped.
  stopWithOutput(() => undefined);
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  try {
    const host = { args: process.argv.slice(2), environment: process.env, print, now: Date.now };
    process.exitCode = await checkConfig(host);
  } catch (error) {
    if (!hasErrorCode(error, 'CONFIG_INVALID')) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  }
}

void main();
