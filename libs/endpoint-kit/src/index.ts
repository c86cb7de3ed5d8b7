export * from './chain-api';
export { createHealthReader, createStateReader } from './chain-health';
export * from './history-api';
export { LargeResponses } from './large-responses';
export type { ApiDeps } from './create-api';
export * from './trace-api';
