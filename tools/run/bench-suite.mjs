import { prepare, runCommand, runNode } from './prepare.mjs';

/** `npm run bench:suite -- --recording DIR`: every app as a process of its own on one recording, against bare bulk requests. */
await runCommand((args) => {
  prepare();
  return runNode('tools/bench/dist/stack-main.js', args);
});
