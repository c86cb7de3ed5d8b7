import { prepare, runCommand, runNode } from './prepare.mjs';

/** `npm run conformance`: compares the running service with what recorded nodes answered. */
await runCommand((args) => {
  prepare();
  return runNode('tools/conformance/dist/main.js', args);
});
