/** The cluster's address and settings; `docs/configuration.md` explains each under `store.elasticsearch`. */
export interface ElasticsearchOptions {
  urls: string[];
  username?: string | undefined;
  password?: string | undefined;
  caFile?: string | undefined;
  indexPrefix: string;
  blocksPerIndex: number;
  actionsPerIndex: number;
  retainBlocks: number;
  replicas: number;
  tiers?: readonly string[];
  catchUpReplicas?: number | undefined;
  bulkBytes: number;
  bulkConcurrency: number;
  commitSeconds: number;
  requestTimeoutSeconds: number;
}

export interface ElasticsearchWriterOptions extends ElasticsearchOptions {
  /** The keys of the data fields to index; none by default. */
  dataFields?: readonly string[];
}
