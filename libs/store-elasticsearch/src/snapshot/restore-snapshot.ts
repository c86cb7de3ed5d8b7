import { randomUUID } from 'node:crypto';
import { abortableSleep } from '@antelope-history/connectivity';
import type { Client } from '@elastic/elasticsearch';
import { HistoryError } from '@antelope-history/schemas';
import { withClient } from '../client/client';
import type { ElasticsearchOptions } from '../client/elasticsearch-options';
import { withStoreErrors } from '../client/store-errors';
import { IndexNames } from '../indices/index-names';
import { PROGRESS_ID, ProgressReader, type ReadProgress } from '../indices/progress';
import type { SnapshotOptions } from './create-snapshot';
import {
  findSnapshot,
  readNewestWrites,
  requireRepository,
  type SnapshotMetadata,
  type StoreSnapshot,
  toStoreSnapshot,
} from './snapshot-client';

const POLL_MS = 500;

/**
 * Restores all indices of the store and resolves when every document can be read. The apps continue from it when they start.
 * Rejects with `CONFIG_INVALID` when there is no such snapshot of the store, or when indices of its prefix exist, which it never
 * replaces, with `STOPPED` when the signal aborts, and as `openElasticsearchStoreReader`.
 */
export async function restoreSnapshot(
  options: ElasticsearchOptions,
  { repository, name, onProgress, signal }: SnapshotOptions,
): Promise<StoreSnapshot> {
  return withClient(options, async (client) => {
    const names = new IndexNames(options.indexPrefix);
    await requireRepository(client, repository);
    const info = await findSnapshot(client, repository, name);
    const snapshot = info && toStoreSnapshot(info, names);
    if (!snapshot?.isComplete) {
      const what = snapshot ? 'is not complete' : `of the prefix ${names.prefix} does not exist`;
      throw new HistoryError('CONFIG_INVALID', `the snapshot ${name} ${what} in the repository ${repository}`);
    }
    await requireNoIndices(client, names);
    const indices = `${names.prefix}-*`;
    await withStoreErrors(
      client.snapshot.restore({
        repository,
        snapshot: name,
        indices,
        include_aliases: true,
        include_global_state: false,
        feature_states: ['none'],
        wait_for_completion: false,
      }),
    );
    await untilReadable(client, indices, { onProgress, signal });
    const read = await new ProgressReader(client, names).read();
    if (!read || read.progress.committed?.id !== snapshot.committed?.id) {
      throw new HistoryError('STORE_REFUSED', `what was restored is not what the snapshot ${name} says of itself`);
    }
    const { history_writes: writes } = (info?.metadata ?? {}) as Partial<SnapshotMetadata>;
    if (writes !== undefined && writes !== (await readNewestWrites(client, names))) {
      throw new HistoryError(
        'STORE_REFUSED',
        `something was written while the snapshot ${name} was made: delete the indices ${indices} and restore another one`,
      );
    }
    await renewStoreId(client, names, read);
    return snapshot;
  });
}

/** An API that was paused meanwhile recognises by it that what it has cached is of the indices before. */
async function renewStoreId(client: Client, names: IndexNames, read: ReadProgress): Promise<void> {
  await withStoreErrors(
    client.index({
      index: names.progress,
      id: PROGRESS_ID,
      document: { ...read.progress, store_id: randomUUID() },
      if_seq_no: read.seqNo,
      if_primary_term: read.primaryTerm,
      refresh: false,
    }),
  );
}

async function requireNoIndices(client: Client, names: IndexNames): Promise<void> {
  const indices = `${names.prefix}-*`;
  const existing = Object.keys(await withStoreErrors(client.indices.get({ index: indices, features: ['aliases'] })));
  if (existing.length === 0) return;
  throw new HistoryError(
    'CONFIG_INVALID',
    `the cluster has ${existing.length} indices ${indices}: stop all apps and delete these indices first`,
  );
}

async function untilReadable(
  client: Client,
  index: string,
  { onProgress, signal }: Pick<SnapshotOptions, 'onProgress' | 'signal'>,
): Promise<void> {
  while (!signal?.aborted) {
    const health = await withStoreErrors(client.cluster.health({ index, level: 'indices' }));
    const shards = Object.values(health.indices ?? {}).reduce((sum, each) => sum + each.number_of_shards, 0);
    onProgress?.(health.active_primary_shards, shards);
    if (shards > 0 && health.active_primary_shards === shards && !health.timed_out) return;
    await abortableSleep(POLL_MS, signal);
  }
  throw new HistoryError('STOPPED', `the cluster goes on to restore: delete the indices ${index} before you try again`);
}
