import { withClient } from '../client/client';
import type { ElasticsearchOptions } from '../client/elasticsearch-options';
import { withStoreErrors } from '../client/store-errors';
import { IndexNames } from '../indices/index-names';
import { requireRepository, type StoreSnapshot, toStoreSnapshot } from './snapshot-client';

/** The snapshots of the store in a repository, oldest first. Rejects as `createSnapshot`. */
export async function listSnapshots(
  options: ElasticsearchOptions,
  repository: string,
  signal?: AbortSignal,
): Promise<StoreSnapshot[]> {
  return withClient(
    options,
    async (client) => {
      await requireRepository(client, repository);
      const { snapshots = [] } = await withStoreErrors(
        client.snapshot.get({ repository, snapshot: '_all', index_details: true }),
      );
      const own = snapshots.flatMap((info) => toStoreSnapshot(info, new IndexNames(options.indexPrefix)) ?? []);
      return own.sort((one, other) => one.takenAt - other.takenAt);
    },
    signal,
  );
}
