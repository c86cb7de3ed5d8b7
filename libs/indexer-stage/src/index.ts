export * from './indexer';
export * from './indexer-health';
