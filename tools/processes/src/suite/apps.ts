/** The apps of the suite. Each is a process of its own; any number of each may run, except the gateway. */
export const APP_NAMES = [
  'reader',
  'deserializer',
  'indexer',
  'history-api',
  'chain-api',
  'trace-api',
  'gateway',
] as const;
export type AppName = (typeof APP_NAMES)[number];

export const API_NAMES = ['history-api', 'chain-api', 'trace-api'] as const satisfies AppName[];

/** The environment variable with the port of an app's operations listener. */
export const OPERATIONS_PORT_VARIABLES: Record<AppName, string> = {
  reader: 'HISTORY_OPS__READER_PORT',
  deserializer: 'HISTORY_OPS__DESERIALIZER_PORT',
  indexer: 'HISTORY_OPS__INDEXER_PORT',
  'history-api': 'HISTORY_OPS__HISTORY_API_PORT',
  'chain-api': 'HISTORY_OPS__CHAIN_API_PORT',
  'trace-api': 'HISTORY_OPS__TRACE_API_PORT',
  gateway: 'HISTORY_OPS__GATEWAY_PORT',
};

/** The environment variable with the port where an app listens for requests; workers listen for none. */
export const PORT_VARIABLES: Partial<Record<AppName, string>> = {
  'history-api': 'HISTORY_HISTORY_API__PORT',
  'chain-api': 'HISTORY_CHAIN_API__PORT',
  'trace-api': 'HISTORY_TRACE_API__PORT',
  gateway: 'HISTORY_GATEWAY__PORT',
};
