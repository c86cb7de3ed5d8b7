import { prepareServices, runCommand, runNode } from './prepare.mjs';

/** `npm run services` and `npm run services:stop`: the servers for tests and development, up and down. */
await runCommand((args) => {
  prepareServices();
  return runNode('tools/services/dist/main.js', args);
});
