export * from './check-lmdb';
export * from './open-lmdb-store';
