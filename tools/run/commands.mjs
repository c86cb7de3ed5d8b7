/**
 * The programs that `npm run COMMAND` runs, built first. `node`: scripts run one after another until one fails.
 * `inProcess`: the script is imported into the launcher's own process, so that Ctrl-C and SIGTERM reach it first.
 * `builds`: the project that is compiled instead of the whole workspace.
 */
export const COMMANDS = {
  start: { inProcess: 'tools/quick-start/dist/main.js' },
  suite: { inProcess: 'tools/quick-start/dist/suite/main.js' },
  services: { node: ['tools/servers/dist/main.js'], builds: 'tools/servers/tsconfig.lib.json' },
  bench: { node: ['tools/bench/dist/main.js'] },
  'check-config': { inProcess: 'tools/cli/dist/check-config/main.js' },
  conformance: { node: ['tools/conformance/dist/main.js'] },
  'dead-letters': { inProcess: 'tools/cli/dist/dead-letters/main.js' },
  fuzz: { node: ['tools/attacks/dist/fuzz/main.js'] },
  hostile: { node: ['tools/attacks/dist/hostile-chain/main.js'] },
  load: { node: ['tools/attacks/dist/load/main.js'] },
  verify: { inProcess: 'tools/store-maintenance/dist/verify-main.js' },
  backup: { inProcess: 'tools/store-maintenance/dist/backup-main.js' },
  migrate: { inProcess: 'tools/store-maintenance/dist/migrate-main.js' },
  snapshot: { inProcess: 'tools/store-maintenance/dist/snapshot-main.js' },
  repair: { inProcess: 'tools/store-maintenance/dist/repair-main.js' },
  sizing: { node: ['tools/bench/dist/sizing/main.js'] },
  simulate: { node: ['tools/simulate/dist/main.js'] },
  docs: {
    node: [
      'libs/app-runtime/dist/config/write-configuration-docs.js',
      'libs/broker-rabbitmq/dist/definitions/write-definitions.js',
      'libs/store-elasticsearch/dist/indices/write-templates.js',
      'tools/run/write-api-docs.mjs',
      'tools/workspace-rules/boundary-table.mjs',
      'tools/workspace-rules/contents-table.mjs',
    ],
  },
};
