const path = require('node:path');

/**
 * Every app for the process manager pm2, from the built project (npm ci && npm run build). Each side has its own
 * configuration in /etc/antelope-history/config.json, like those in deploy/config:
 *
 *   pm2 start deploy/pm2/ecosystem.config.cjs --only reader,deserializer,indexer
 *   pm2 start deploy/pm2/ecosystem.config.cjs --only history-api,chain-api,trace-api,gateway
 *   pm2 start deploy/pm2/ecosystem.config.cjs --only standalone
 */
const PROJECT = path.resolve(__dirname, '../..');

function app(name, options = {}) {
  return {
    name,
    cwd: PROJECT,
    script: `apps/${name}/dist/main.js`,
    args: ['--config', '/etc/antelope-history/config.json'],
    // The app stops within eight seconds.
    kill_timeout: 10_000,
    // The number of restarts is not limited.
    exp_backoff_restart_delay: 100,
    ...options,
  };
}

/** Workers that share the work. Instance n serves /health and /metrics on the port firstPort + n, with n from 0. */
function workers(name, instances, variable, firstPort) {
  return app(name, { instances, exec_mode: 'fork', env: { [variable]: firstPort }, increment_var: variable });
}

module.exports = {
  apps: [
    app('reader'),
    workers('deserializer', 2, 'HISTORY_OPS__DESERIALIZER_PORT', 8910),
    workers('indexer', 2, 'HISTORY_OPS__INDEXER_PORT', 8920),
    app('history-api', { env: { HISTORY_OPS__HISTORY_API_PORT: 8901 } }),
    app('chain-api', { env: { HISTORY_OPS__CHAIN_API_PORT: 8902 } }),
    app('trace-api', { env: { HISTORY_OPS__TRACE_API_PORT: 8903 } }),
    app('gateway'),
    app('standalone', { env: { HISTORY_STORE__LMDB__PATH: '/var/lib/antelope-history' } }),
  ],
};
