export { elasticsearchChecks, readElasticsearchStatus } from './check/check-elasticsearch';
