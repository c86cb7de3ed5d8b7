import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { COMMANDS } from './commands.mjs';
import { prepare, PrepareError, ROOT, runCommand, runNode } from './prepare.mjs';

const PARENT_CHECK_MS = 500;

/** `node tools/run/run.mjs COMMAND [ARGUMENTS]`: installs and builds what is missing, then runs a command of the table. */
await runCommand(async ([name, ...args]) => {
  stopWithNpm();
  const command = Object.hasOwn(COMMANDS, name ?? '') ? COMMANDS[name] : undefined;
  if (!command) {
    throw new PrepareError(
      `usage: node tools/run/run.mjs COMMAND; the commands are ${Object.keys(COMMANDS).join(', ')}`,
    );
  }
  await prepare(command.builds === undefined ? [] : [command.builds]);
  if (command.inProcess === undefined) return runScripts(command.node, args);
  // The program reads its own arguments from the place where they are when Node.js runs it directly.
  const script = path.join(ROOT, command.inProcess);
  process.argv.splice(1, 2, script);
  await import(pathToFileURL(script).href);
  return undefined;
});

/**
 * Ends this process as SIGTERM does when npm has ended without passing the signal on: a signal reaches npm, and the shell between
 * npm and this process, but not always this process.
 */
function stopWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, PARENT_CHECK_MS);
  watch.unref();
}

/** Gives the exit status of the first script that fails; 0 when all succeed. */
function runScripts(scripts, args) {
  for (const script of scripts) {
    const status = runNode(script, args);
    if (status !== 0) return status;
  }
  return 0;
}
