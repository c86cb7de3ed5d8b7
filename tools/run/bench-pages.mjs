import { prepare, runCommand, runNode } from './prepare.mjs';

/** `npm run bench:pages -- --recording DIR`: pages of get_actions at every depth, compared and timed. */
await runCommand((args) => {
  prepare();
  return runNode('tools/bench/dist/pages-main.js', args);
});
