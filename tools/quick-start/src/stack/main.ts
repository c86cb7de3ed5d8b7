import { runCommand } from '../run-command';
import { stopWithOutput } from '../standard-output';
import { parseCommandLine, USAGE } from './command-line';
import { StackCommand } from './stack-command';

runCommand(async (args, cwd) => {
  const options = parseCommandLine(args);
  if (options === 'help') {
    process.stdout.write(USAGE);
    return;
  }
  const command = new StackCommand();
  stopWithOutput(() => command.stop());
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => command.stop());
  await command.run(options, cwd);
});
