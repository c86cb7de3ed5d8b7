export { elasticsearchChecks, readElasticsearchStatus } from './check-elasticsearch';
export { openElasticsearchStore, type ElasticsearchOptions } from './open-elasticsearch-store';
