import type { ElasticsearchOptions } from '@antelope-history/store-elasticsearch/writer';

/** Options of a store on a test's server. */
export function elasticsearchOptions(url: string, indexPrefix: string, blocksPerIndex = 128): ElasticsearchOptions {
  return {
    urls: [url],
    indexPrefix,
    blocksPerIndex,
    actionsPerIndex: 1_000_000,
    retainBlocks: 0,
    replicas: 0,
    bulkBytes: 1024 * 1024,
    bulkConcurrency: 2,
    commitSeconds: 0,
    requestTimeoutSeconds: 120,
  };
}
