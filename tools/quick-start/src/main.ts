import { runCommand } from '@antelope-history/processes';
import { parseCommandLine, USAGE } from './command-line';
import { QuickStart } from './quick-start';
import { stopWithOutput } from './standard-output';

runCommand('npm start', async (args) => {
  const options = parseCommandLine(args);
  if (options === 'help') {
    process.stdout.write(USAGE);
    return;
  }
  const quickStart = new QuickStart();
  stopWithOutput(() => quickStart.stop());
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => quickStart.stop());
  await quickStart.run(options, process.env, process.cwd());
});
