import { StartError } from '@antelope-history/processes';

/**
 * Runs a command with the arguments and the working directory of this process. A `StartError` is shown without its stack trace.
 */
export function runCommand(command: (args: string[], cwd: string) => Promise<void>): void {
  command(process.argv.slice(2), process.cwd()).catch((error: unknown) => {
    const shown = error instanceof StartError ? error.message : error instanceof Error ? error.stack : String(error);
    process.stderr.write(`${shown}\n`);
    process.exitCode = 1;
  });
}
