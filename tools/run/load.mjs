import { prepare, runCommand, runNode } from './prepare.mjs';

/** `npm run load -- --seconds N`: lets honest and hostile clients at a running service together, and judges what it does. */
await runCommand((args) => {
  prepare();
  return runNode('tools/attacks/dist/load/main.js', args);
});
