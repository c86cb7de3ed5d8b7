import { abortableSleep } from '@antelope-history/connectivity';
import type { Client } from '@elastic/elasticsearch';
import { HistoryError } from '@antelope-history/schemas';
import { withClient } from '../client/client';
import type { ElasticsearchOptions } from '../client/elasticsearch-options';
import { withStoreErrors } from '../client/store-errors';
import { IndexNames } from '../indices/index-names';
import { ProgressReader } from '../indices/progress';
import {
  findSnapshot,
  readNewestWrites,
  requireRepository,
  type SnapshotMetadata,
  type StoreSnapshot,
  toStoreSnapshot,
} from './snapshot-client';

export interface SnapshotOptions {
  /** The name of a snapshot repository that the cluster has. */
  repository: string;
  name: string;
  /** Called while the snapshot is made. */
  onProgress?(doneShards: number, shards: number): void;
  /** Aborts to give up what is in progress. */
  signal?: AbortSignal;
}

const POLL_MS = 500;

/**
 * Makes one snapshot of all indices of the store. Elasticsearch copies the indices at different moments: a snapshot in which the
 * journal is newer than the documents would restore a store that commits blocks it does not have. So the snapshot counts only
 * when nothing was written from before its start until after its end; otherwise it is deleted. One that a killed program left is
 * compared with what it says of itself when it is restored. Rejects with `STORE_IN_USE` when something was written, with `STOPPED` when
 * the signal aborts, after which the snapshot is deleted, too, with `CONFIG_INVALID` when there is no such repository, no data, or a
 * snapshot of that name, with `STORE_REFUSED` when the cluster cannot make it, and as `openElasticsearchStoreReader`.
 */
export async function createSnapshot(options: ElasticsearchOptions, snapshot: SnapshotOptions): Promise<StoreSnapshot> {
  return withClient(options, async (client) => {
    const names = new IndexNames(options.indexPrefix);
    const { repository, name } = snapshot;
    await requireRepository(client, repository);
    if (await findSnapshot(client, repository, name)) {
      throw new HistoryError('CONFIG_INVALID', `the repository ${repository} has a snapshot ${name} already`);
    }
    const metadata = await describeStore(client, names);
    const indices = `${names.prefix}-*`;
    await withStoreErrors(
      client.snapshot.create({
        repository,
        snapshot: name,
        indices,
        include_global_state: false,
        feature_states: ['none'],
        metadata: { ...metadata },
        wait_for_completion: false,
      }),
    );
    const made = await untilMade(client, names, snapshot);
    if (made && (await readNewestWrites(client, names)) === metadata.history_writes) return made;
    await withStoreErrors(client.snapshot.delete({ repository, snapshot: name }));
    if (!made) throw new HistoryError('STOPPED', `the snapshot ${name} was interrupted and is deleted`);
    throw new HistoryError(
      'STORE_IN_USE',
      'indexers wrote while the snapshot was made, so that it was deleted: stop the indexing side first',
    );
  });
}

async function describeStore(client: Client, names: IndexNames): Promise<SnapshotMetadata> {
  // Before the rest: what is written in between is then noticed as a later write.
  const writes = await readNewestWrites(client, names);
  const read = await new ProgressReader(client, names).read();
  if (!read) throw new HistoryError('CONFIG_INVALID', `the cluster has no indices ${names.prefix}-*`);
  const { chain_id: chainId, committed } = read.progress;
  return {
    history_index_prefix: names.prefix,
    history_writes: writes,
    // Elasticsearch fails on null here.
    ...(chainId !== undefined && { history_chain_id: chainId }),
    ...(committed && { history_committed: committed }),
  };
}

/** The snapshot when it is made; undefined when the signal aborts before. */
async function untilMade(
  client: Client,
  names: IndexNames,
  { repository, name, onProgress, signal }: SnapshotOptions,
): Promise<StoreSnapshot | undefined> {
  while (!signal?.aborted) {
    const info = await findSnapshot(client, repository, name);
    const { successful = 0, total = 0 } = info?.shards ?? {};
    onProgress?.(successful, total);
    if (info?.state === 'SUCCESS') return toStoreSnapshot(info, names);
    if (info && info.state !== 'IN_PROGRESS') {
      const reason = info.failures?.[0]?.reason ?? info.state ?? 'unknown';
      throw new HistoryError('STORE_REFUSED', `Elasticsearch could not make the snapshot ${name}: ${reason}`);
    }
    await abortableSleep(POLL_MS, signal);
  }
  return undefined;
}
