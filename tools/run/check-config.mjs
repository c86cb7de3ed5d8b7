import { prepare, runCommand, runNode } from './prepare.mjs';

/** `npm run check-config -- --config FILE`: tries each connection and permission that a configuration needs. */
await runCommand((args) => {
  prepare();
  return runNode('tools/check-config/dist/main.js', args);
});
