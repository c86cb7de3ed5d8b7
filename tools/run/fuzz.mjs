import { prepare, runCommand, runNode } from './prepare.mjs';

/** `npm run fuzz -- --requests N`: sends generated requests to a running service and judges the answers. */
await runCommand((args) => {
  prepare();
  return runNode('tools/attacks/dist/fuzz/main.js', args);
});
