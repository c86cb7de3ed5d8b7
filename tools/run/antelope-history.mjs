#!/usr/bin/env node
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare, ROOT, runCommand, stopWithNpm } from './prepare.mjs';

/** `npx antelope-history COMMAND`: installs and builds what is missing, then runs a command for operators and users. */
await runCommand(async () => {
  stopWithNpm();
  await prepare();
  const script = path.join(ROOT, 'tools/cli/dist/main.js');
  process.argv.splice(1, 1, script);
  await import(pathToFileURL(script).href);
});
