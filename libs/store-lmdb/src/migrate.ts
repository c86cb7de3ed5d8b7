export { type LmdbMigration, type LmdbMigrationOptions, migrateLmdb } from './migrate/migrate-lmdb';
