/** Where the cluster is and how it is used; the meaning of each is in `docs/configuration.md` under `store.elasticsearch`. */
export interface ElasticsearchOptions {
  urls: string[];
  username?: string | undefined;
  password?: string | undefined;
  caFile?: string | undefined;
  indexPrefix: string;
  blocksPerIndex: number;
  retainBlocks: number;
  replicas: number;
  bulkBytes: number;
  bulkConcurrency: number;
  commitSeconds: number;
  requestTimeoutSeconds: number;
}
