export { type ElasticsearchMigrationOptions, migrateElasticsearch } from './migrate/migrate-elasticsearch';
