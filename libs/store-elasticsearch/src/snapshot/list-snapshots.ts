import type { ElasticsearchOptions } from '../client/elasticsearch-options';
import { asked } from '../client/store-errors';
import { requireRepository, type StoreSnapshot, toStoreSnapshot, withClient } from './snapshot-client';

/** The snapshots of the store in a repository, oldest first. Rejects as `createSnapshot`. */
export async function listSnapshots(options: ElasticsearchOptions, repository: string): Promise<StoreSnapshot[]> {
  return withClient(options, async (client, names) => {
    await requireRepository(client, repository);
    const { snapshots = [] } = await asked(client.snapshot.get({ repository, snapshot: '_all', index_details: true }));
    const own = snapshots.flatMap((info) => toStoreSnapshot(info, names) ?? []);
    return own.sort((one, other) => one.takenAt - other.takenAt);
  });
}
