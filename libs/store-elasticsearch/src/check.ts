export { elasticsearchChecks, readElasticsearchStatus } from './checks/check-elasticsearch';
