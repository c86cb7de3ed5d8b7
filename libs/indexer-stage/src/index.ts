export * from './indexer';
export * from './indexer-health';
export { registerFreeBytes } from './indexer-metrics';
