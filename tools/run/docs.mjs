import { prepare, runCommand, runNode } from './prepare.mjs';

/** `npm run docs`: writes the parts of the documentation and of deploy/ that are made from the sources. */
await runCommand(() => {
  prepare();
  return (
    runNode('libs/service/dist/config/write-configuration-docs.js', []) ||
    runNode('tools/run/write-api-docs.mjs', []) ||
    runNode('libs/broker-rabbitmq/dist/write-definitions.js', []) ||
    runNode('libs/store-elasticsearch/dist/indices/write-templates.js', []) ||
    runNode('tools/workspace-rules/boundary-table.mjs', [])
  );
});
