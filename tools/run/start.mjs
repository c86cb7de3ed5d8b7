import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare, ROOT, runCommand } from './prepare.mjs';

/** `npm start`: see tools/quick-start, which runs in this process so that signals reach it first. */
await runCommand(async () => {
  prepare();
  await import(pathToFileURL(path.join(ROOT, 'tools/quick-start/dist/main.js')).href);
});
