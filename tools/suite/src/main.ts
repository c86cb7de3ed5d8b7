import { QuickStartError } from '@antelope-history/quick-start';
import { parseCommandLine, USAGE } from './command-line';
import { SuiteCommand } from './suite-command';

async function main(): Promise<void> {
  const options = parseCommandLine(process.argv.slice(2));
  if (options === 'help') {
    process.stdout.write(USAGE);
    return;
  }
  const command = new SuiteCommand();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => command.stop());
  // npm runs scripts in the project's folder; paths are the person's, from where npm was called.
  await command.run(options, process.env['INIT_CWD'] ?? process.cwd());
}

main().catch((error: unknown) => {
  const shown = error instanceof QuickStartError ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${shown}\n`);
  process.exitCode = 1;
});
