export * from './check-lmdb';
