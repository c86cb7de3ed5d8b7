export * from './open-lmdb-store';
