export * from './indexer';
