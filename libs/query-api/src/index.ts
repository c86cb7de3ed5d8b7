export * from './chain-api';
export { createStateReader } from './chain-health';
export * from './history-api';
export type { QueryApiDeps } from './query-app';
export * from './trace-api';
