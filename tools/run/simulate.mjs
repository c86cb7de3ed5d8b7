import { prepare, runCommand, runNode } from './prepare.mjs';

/** `npm run simulate -- --recording DIR`: kills the service at random moments and compares what it stored. */
await runCommand((args) => {
  prepare();
  return runNode('tools/simulate/dist/main.js', args);
});
