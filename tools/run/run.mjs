import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { COMMANDS } from './commands.mjs';
import { CALLER_FOLDER, prepare, ROOT, runCommand, runNode, stopWithNpm, UsageError } from './prepare.mjs';

/** `node tools/run/run.mjs COMMAND [ARGUMENTS]`: installs and builds what is missing, then runs a command of the table. */
await runCommand(async ([name, ...args]) => {
  stopWithNpm();
  const command = Object.hasOwn(COMMANDS, name ?? '') ? COMMANDS[name] : undefined;
  if (!command) {
    throw new UsageError(`usage: node tools/run/run.mjs COMMAND; the commands are ${Object.keys(COMMANDS).join(', ')}`);
  }
  await prepare(command.builds === undefined ? [] : [command.builds]);
  process.chdir(CALLER_FOLDER);
  if (command.inProcess === undefined) return runScripts(command.node, args);
  // The program reads its own arguments from the place where they are when Node.js runs it directly.
  const script = path.join(ROOT, command.inProcess);
  process.argv.splice(1, 2, script);
  await import(pathToFileURL(script).href);
  return undefined;
});

/** Returns the exit status of the first script that fails; 0 when all succeed. */
function runScripts(scripts, args) {
  for (const script of scripts) {
    const status = runNode(script, args, { cwd: CALLER_FOLDER });
    if (status !== 0) return status;
  }
  return 0;
}
