import { prepare, runCommand, runNode } from './prepare.mjs';

/** `npm run bench -- --recording DIR`: measures decoding, the bare socket and the whole service. */
await runCommand((args) => {
  prepare();
  return runNode('tools/bench/dist/main.js', args);
});
