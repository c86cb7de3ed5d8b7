import { StartError } from '@antelope-history/processes';

/**
 * Runs a command with the arguments of this process and the directory where the person called npm, which runs scripts in
 * the root of the workspace. A `StartError` is shown without its stack trace.
 */
export function runCommand(command: (args: string[], cwd: string) => Promise<void>): void {
  command(process.argv.slice(2), process.env['INIT_CWD'] ?? process.cwd()).catch((error: unknown) => {
    const shown = error instanceof StartError ? error.message : error instanceof Error ? error.stack : String(error);
    process.stderr.write(`${shown}\n`);
    process.exitCode = 1;
  });
}
