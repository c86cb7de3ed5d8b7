/** An app as `deploy/` runs it. */
export interface DeployedApp {
  /** Its folder in `apps`. */
  name: string;
  side: 'indexing' | 'api' | 'both';
  /** Where it answers /live, /health and /metrics in containers, and the variable that says so. */
  port: number;
  portVariable: string;
}

/** Every app; the tests hold all that names them against this. */
export const DEPLOYED_APPS: DeployedApp[] = [
  { name: 'reader', side: 'indexing', port: 8894, portVariable: 'HISTORY_OPS__READER_PORT' },
  { name: 'deserializer', side: 'indexing', port: 8895, portVariable: 'HISTORY_OPS__DESERIALIZER_PORT' },
  { name: 'indexer', side: 'indexing', port: 8896, portVariable: 'HISTORY_OPS__INDEXER_PORT' },
  { name: 'history-api', side: 'api', port: 8891, portVariable: 'HISTORY_HISTORY_API__PORT' },
  { name: 'chain-api', side: 'api', port: 8892, portVariable: 'HISTORY_CHAIN_API__PORT' },
  { name: 'trace-api', side: 'api', port: 8893, portVariable: 'HISTORY_TRACE_API__PORT' },
  { name: 'gateway', side: 'api', port: 8888, portVariable: 'HISTORY_GATEWAY__PORT' },
  { name: 'standalone', side: 'both', port: 8888, portVariable: 'HISTORY_GATEWAY__PORT' },
];

/** Those of the whole suite, a process each. */
export const SUITE_APPS = DEPLOYED_APPS.filter(({ side }) => side !== 'both');
