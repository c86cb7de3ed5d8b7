import { randomUUID } from 'node:crypto';
import { abortableSleep } from '@antelope-history/connectivity';
import type { Client, estypes } from '@elastic/elasticsearch';
import { hasErrorCode, HistoryError } from '@antelope-history/schemas';
import { withClient } from '../client/client';
import type { ElasticsearchOptions } from '../client/elasticsearch-options';
import { withStoreErrors } from '../client/store-errors';
import { IndexNames } from '../indices/index-names';
import { PROGRESS_ID, ProgressReader, type ReadProgress } from '../indices/progress';
import type { SnapshotOptions } from './create-snapshot';
import {
  findSnapshot,
  POLL_MS,
  readNewestWrites,
  requireRepository,
  type SnapshotMetadata,
  type StoreSnapshot,
  toStoreSnapshot,
} from './snapshot-client';

/** For this time a cluster may restore no shard, for example while its master is being elected. */
const STALL_LIMIT_MS = 120_000;

/**
 * Nothing reads or writes what is restored until it is complete and compared: an app that is started before, also when this program
 * was killed, finds the store unavailable, and `check-config` names the blocks.
 */
const BLOCKED = { 'index.blocks.read': true, 'index.blocks.write': true };
const OPEN = { 'index.blocks.read': null, 'index.blocks.write': null };

export interface RestoreOptions extends SnapshotOptions {
  stallLimitMs?: number;
}

/**
 * Restores all indices of the store and resolves when every document can be read. The apps continue from it when they start.
 * Rejects with `CONFIG_INVALID` when there is no such snapshot of the store, or when indices of its prefix exist, which it never
 * replaces, with `STORE_REFUSED` when the cluster does not restore all of it, or it is not what the snapshot says of itself, with
 * `STOPPED` when the signal aborts, and as `openElasticsearchStoreReader`.
 */
export async function restoreSnapshot(options: ElasticsearchOptions, snapshot: RestoreOptions): Promise<StoreSnapshot> {
  const names = new IndexNames(options.indexPrefix);
  const indices = names.pattern;
  const run = { hasBegun: false };
  const restore = async (client: Client): Promise<StoreSnapshot> => {
    const info = await findComplete(client, names, snapshot);
    await requireNoIndices(client, indices);
    run.hasBegun = true;
    await requestRestore(client, indices, snapshot);
    await untilReadable(client, indices, snapshot);
    await takeIntoUse(client, names, info);
    return info.snapshot;
  };
  try {
    return await withClient(options, restore, snapshot.signal);
  } catch (error) {
    if (!run.hasBegun || !hasErrorCode(error, 'STOPPED')) throw error;
    const what = `the cluster goes on to restore: delete the indices ${indices} before you try again`;
    throw new HistoryError('STOPPED', what);
  }
}

interface CompleteSnapshot {
  snapshot: StoreSnapshot;
  metadata: Partial<SnapshotMetadata>;
}

async function findComplete(
  client: Client,
  names: IndexNames,
  { repository, name }: SnapshotOptions,
): Promise<CompleteSnapshot> {
  await requireRepository(client, repository);
  const info = await findSnapshot(client, repository, name);
  const snapshot = info && toStoreSnapshot(info, names);
  if (snapshot?.isComplete) return { snapshot, metadata: info?.metadata ?? {} };
  const what = snapshot ? 'is not complete' : `of the prefix ${names.prefix} does not exist`;
  throw new HistoryError('CONFIG_INVALID', `the snapshot ${name} ${what} in the repository ${repository}`);
}

async function requestRestore(client: Client, indices: string, { repository, name }: SnapshotOptions): Promise<void> {
  try {
    await withStoreErrors(
      client.snapshot.restore({
        repository,
        snapshot: name,
        indices,
        index_settings: BLOCKED,
        include_aliases: true,
        include_global_state: false,
        feature_states: ['none'],
        wait_for_completion: false,
      }),
    );
  } catch (error) {
    // The client sends it again when the response is lost, and the cluster restores nothing over indices that exist now.
    if (!hasErrorCode(error, 'STORE_UNAVAILABLE')) throw error;
    const found = await readSettings(client, indices);
    if (found.length === 0 || !found.every(isBlocked)) throw error;
  }
}

/** Compares what was restored with what the snapshot says of itself, and opens it to the apps. */
async function takeIntoUse(
  client: Client,
  names: IndexNames,
  { snapshot, metadata: { history_writes: writes } }: CompleteSnapshot,
): Promise<void> {
  const { name } = snapshot;
  const indices = names.pattern;
  if (writes !== undefined && writes !== (await readNewestWrites(client, names))) {
    throw new HistoryError(
      'STORE_REFUSED',
      `something was written while the snapshot ${name} was made: delete the indices ${indices} and restore another one`,
    );
  }
  await setBlocks(client, names.progress, { ...OPEN, 'index.blocks.write': true });
  const read = await new ProgressReader(client, names).read();
  if (!read || read.progress.committed?.id !== snapshot.committed?.id) {
    throw new HistoryError('STORE_REFUSED', `what was restored is not what the snapshot ${name} says of itself`);
  }
  await setBlocks(client, names.progress, OPEN);
  await renewStoreId(client, names, read);
  await setBlocks(client, indices, OPEN);
}

async function setBlocks(client: Client, index: string, settings: Record<string, true | null>): Promise<void> {
  // A store may have no index of a kind.
  await withStoreErrors(client.indices.putSettings({ index, settings, allow_no_indices: true }));
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

async function requireNoIndices(client: Client, indices: string): Promise<void> {
  const found = await readSettings(client, indices);
  if (found.length === 0) return;
  const whose = found.some(isBlocked) ? ', which a restore that did not end has left' : '';
  throw new HistoryError(
    'CONFIG_INVALID',
    `the cluster has ${found.length} indices ${indices}${whose}: stop all apps and delete these indices first`,
  );
}

/** The settings of each index, also of closed ones, which a restore would replace. */
async function readSettings(client: Client, indices: string): Promise<estypes.IndicesIndexState[]> {
  const request = { index: indices, expand_wildcards: 'all', flat_settings: true } as const;
  return Object.values(await withStoreErrors(client.indices.getSettings(request)));
}

const isBlocked = ({ settings }: estypes.IndicesIndexState): boolean => !!settings && 'index.blocks.read' in settings;

async function untilReadable(
  client: Client,
  index: string,
  { onProgress, signal, stallLimitMs = STALL_LIMIT_MS }: RestoreOptions,
): Promise<void> {
  let movedAt = performance.now();
  let before = -1;
  for (;;) {
    try {
      const { active, initializing, shards } = await readShards(client, index);
      onProgress?.(active, shards);
      if (shards > 0 && active === shards) return;
      if (initializing > 0 || active !== before) movedAt = performance.now();
      before = active;
      if (performance.now() - movedAt > stallLimitMs) {
        throw new HistoryError(
          'STORE_REFUSED',
          `the cluster restores nothing more, and ${shards - active} of ${shards} shards are missing: ` +
            `GET _cluster/allocation/explain says why; then delete the indices ${index} and restore again`,
        );
      }
    } catch (error) {
      // The cluster goes on to restore when it has a master again. What is restored can only be deleted once this program gives up.
      const isOver = performance.now() - movedAt > stallLimitMs;
      if (isOver || !hasErrorCode(error, 'STORE_UNAVAILABLE')) throw error;
    }
    await abortableSleep(POLL_MS, signal);
  }
}

/** How many primary shards of the indices there are, can be read, and are being restored. */
async function readShards(
  client: Client,
  index: string,
): Promise<{ active: number; initializing: number; shards: number }> {
  const health = await withStoreErrors(client.cluster.health({ index, level: 'indices' }));
  const shards = Object.values(health.indices ?? {}).reduce((sum, each) => sum + each.number_of_shards, 0);
  return { active: health.active_primary_shards, initializing: health.initializing_shards, shards };
}
