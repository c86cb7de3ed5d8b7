import { build, installPackages, requireNode, runCommand, runNode } from './prepare.mjs';

/** `npm run typecheck`: compiles every project and its tests, and checks that project references follow the imports. */
await runCommand(async () => {
  requireNode();
  installPackages();
  await build();
  return runNode('node_modules/nx/dist/bin/nx.js', ['sync:check']);
});
