import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare, ROOT, runCommand } from './prepare.mjs';

/** `npm run suite`: see tools/quick-start/src/stack, which runs in this process so that signals reach it first. */
await runCommand(async () => {
  prepare();
  await import(pathToFileURL(path.join(ROOT, 'tools/quick-start/dist/stack/main.js')).href);
});
