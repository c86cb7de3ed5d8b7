import { prepare, runCommand, runNode } from './prepare.mjs';

/** `npm run bench:suite -- --recording DIR`: the whole suite on one recording, against bare bulk requests. */
await runCommand((args) => {
  prepare();
  return runNode('tools/bench/dist/suite-main.js', args);
});
