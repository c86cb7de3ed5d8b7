import { parseCommandLine, QuickStartError, USAGE } from './command-line';
import { QuickStart } from './quick-start';

async function main(): Promise<void> {
  const options = parseCommandLine(process.argv.slice(2));
  if (options === 'help') {
    process.stdout.write(USAGE);
    return;
  }
  const quickStart = new QuickStart();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => quickStart.stop());
  // npm runs scripts in the project's folder; paths are the person's, from where npm was called.
  await quickStart.run(options, process.env, process.env['INIT_CWD'] ?? process.cwd());
}

main().catch((error: unknown) => {
  const shown = error instanceof QuickStartError ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${shown}\n`);
  process.exitCode = 1;
});
