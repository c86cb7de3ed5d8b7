export { lmdbChecks, readLmdbStatus, type LmdbCheckOptions } from './check/check-lmdb';
