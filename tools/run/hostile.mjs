import { prepare, runCommand, runNode } from './prepare.mjs';

/** `npm run hostile`: a chain whose contracts attack, played to the running service; what its answers cost. */
await runCommand((args) => {
  prepare();
  return runNode('tools/attacks/dist/hostile-chain/main.js', args);
});
