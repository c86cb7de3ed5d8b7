import type { StoreReader } from '@antelope-history/store';
import { createClient } from './client/client';
import type { ElasticsearchOptions } from './client/elasticsearch-options';
import { IndexNames } from './indices/index-names';
import { ElasticsearchReader } from './read/elasticsearch-reader';

export type { ElasticsearchOptions } from './client/elasticsearch-options';

/**
 * Opens the read side of the shared store; any number of processes may. Needs the privilege to read only, and creates
 * nothing: a store without indices reads as an empty one. Rejects with
 * - `STORE_UNAVAILABLE` when the cluster cannot be reached;
 * - `ACCESS_REFUSED`, `CERTIFICATE_REFUSED`, `STORE_REFUSED` when the configuration or the cluster has to change first;
 * - `STORE_FORMAT_MISMATCH` when another format version wrote the indices;
 * - `STOPPED` when `interruption` aborts, as each of its methods does from then on.
 */
export async function openElasticsearchStoreReader(
  options: ElasticsearchOptions,
  interruption?: AbortSignal,
): Promise<StoreReader> {
  const client = createClient(options, interruption);
  const reader = new ElasticsearchReader(client, new IndexNames(options.indexPrefix), options.requestTimeoutSeconds);
  try {
    await reader.getStatus();
    return reader;
  } catch (error) {
    await reader.close();
    throw error;
  }
}
