/** An app as `deploy/` runs it. */
export interface DeployedApp {
  /** Its folder in `apps`. */
  name: string;
  side: 'indexing' | 'api' | 'both';
  /** The port of its endpoints in containers and the variable that sets it; of a worker, the operations port. */
  port: number;
  portVariable: string;
  /** Its operations port in containers and the variable that sets it. */
  operationsPort: number;
  operationsVariable: string;
}

/** Every app. The tests compare all deployment files with this list. */
export const DEPLOYED_APPS: DeployedApp[] = [
  worker('reader', 8894, 'HISTORY_OPS__READER_PORT'),
  worker('deserializer', 8895, 'HISTORY_OPS__DESERIALIZER_PORT'),
  worker('indexer', 8896, 'HISTORY_OPS__INDEXER_PORT'),
  {
    name: 'history-api',
    side: 'api',
    port: 8891,
    portVariable: 'HISTORY_HISTORY_API__PORT',
    operationsPort: 8901,
    operationsVariable: 'HISTORY_OPS__HISTORY_API_PORT',
  },
  {
    name: 'chain-api',
    side: 'api',
    port: 8892,
    portVariable: 'HISTORY_CHAIN_API__PORT',
    operationsPort: 8902,
    operationsVariable: 'HISTORY_OPS__CHAIN_API_PORT',
  },
  {
    name: 'trace-api',
    side: 'api',
    port: 8893,
    portVariable: 'HISTORY_TRACE_API__PORT',
    operationsPort: 8903,
    operationsVariable: 'HISTORY_OPS__TRACE_API_PORT',
  },
  {
    name: 'gateway',
    side: 'api',
    port: 8888,
    portVariable: 'HISTORY_GATEWAY__PORT',
    operationsPort: 8890,
    operationsVariable: 'HISTORY_OPS__GATEWAY_PORT',
  },
  {
    name: 'standalone',
    side: 'both',
    port: 8888,
    portVariable: 'HISTORY_GATEWAY__PORT',
    operationsPort: 8890,
    operationsVariable: 'HISTORY_OPS__GATEWAY_PORT',
  },
];

function worker(name: string, port: number, variable: string): DeployedApp {
  return {
    name,
    side: 'indexing',
    port,
    portVariable: variable,
    operationsPort: port,
    operationsVariable: variable,
  };
}

/** The apps that run as processes of their own over the distributed set. */
export const SUITE_APPS = DEPLOYED_APPS.filter(({ side }) => side !== 'both');
