export { elasticsearchChecks, readElasticsearchStatus } from './checks/check-elasticsearch';
export type { ElasticsearchOptions } from './elasticsearch-options';
export { openElasticsearchStore } from './open-elasticsearch-store';
