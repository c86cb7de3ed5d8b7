import { runCommand } from '@antelope-history/processes';
import { stopWithOutput } from '../standard-output';
import { parseCommandLine, USAGE } from './command-line';
import { SuiteCommand } from './suite-command';

runCommand('npm run suite', async (args) => {
  const options = parseCommandLine(args);
  if (options === 'help') {
    process.stdout.write(USAGE);
    return;
  }
  const command = new SuiteCommand();
  stopWithOutput(() => command.stop());
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => command.stop());
  await command.run(options, process.cwd());
});
