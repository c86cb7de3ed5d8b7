import { prepare, runCommand, runNode } from './prepare.mjs';

/** `npm run docs`: writes the parts of the documentation that are made from the sources. */
await runCommand(() => {
  prepare();
  return (
    runNode('libs/service/dist/config/write-configuration-docs.js', []) ||
    runNode('tools/workspace-rules/boundary-table.mjs', [])
  );
});
