import type { Client } from '@elastic/elasticsearch';
import { incomplete } from './search';
import { withStoreErrors } from './store-errors';

/**
 * Makes all durable documents of indices visible to searches. Rejects with `STORE_UNAVAILABLE` when a copy of a shard failed to refresh:
 * it would answer searches with its old state.
 */
export async function refreshIndices(
  client: Client,
  index: string | string[],
  options: { ignore_unavailable?: boolean } = {},
): Promise<void> {
  const { _shards: shards } = await withStoreErrors(client.indices.refresh({ index, ...options }));
  if (shards && shards.failed > 0) throw incomplete(`${shards.failed} copies of shards did not refresh`);
}
