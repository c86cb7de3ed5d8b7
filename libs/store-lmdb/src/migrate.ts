export { type LmdbMigrationOptions, migrateLmdb } from './migrate/migrate-lmdb';
