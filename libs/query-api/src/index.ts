export * from './chain-api';
export * from './history-api';
export type { QueryApiDeps } from './query-app';
export * from './trace-api';
