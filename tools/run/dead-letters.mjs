import { prepare, runCommand, runNode } from './prepare.mjs';

/** `npm run dead-letters -- [--config FILE] [--resend QUEUE]`: lists what was rejected, or sends it again. */
await runCommand((args) => {
  prepare();
  return runNode('tools/dead-letters/dist/main.js', args);
});
