/** The apps of the suite, each a process of its own in any number but for the reader and the gateway. */
export const APP_KINDS = [
  'reader',
  'deserializer',
  'indexer',
  'history-api',
  'chain-api',
  'trace-api',
  'gateway',
] as const;
export type AppKind = (typeof APP_KINDS)[number];

export const API_KINDS = ['history-api', 'chain-api', 'trace-api'] as const satisfies AppKind[];

/** The configuration key of the port of an app's operations listener. */
export const OPERATIONS_PORT_VARIABLES: Record<AppKind, string> = {
  reader: 'HISTORY_OPS__READER_PORT',
  deserializer: 'HISTORY_OPS__DESERIALIZER_PORT',
  indexer: 'HISTORY_OPS__INDEXER_PORT',
  'history-api': 'HISTORY_OPS__HISTORY_API_PORT',
  'chain-api': 'HISTORY_OPS__CHAIN_API_PORT',
  'trace-api': 'HISTORY_OPS__TRACE_API_PORT',
  gateway: 'HISTORY_OPS__GATEWAY_PORT',
};

/** The configuration key of the port where an app answers requests; workers answer none. */
export const PORT_VARIABLES: Partial<Record<AppKind, string>> = {
  'history-api': 'HISTORY_HISTORY_API__PORT',
  'chain-api': 'HISTORY_CHAIN_API__PORT',
  'trace-api': 'HISTORY_TRACE_API__PORT',
  gateway: 'HISTORY_GATEWAY__PORT',
};
