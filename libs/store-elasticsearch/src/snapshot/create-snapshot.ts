import { abortableSleep } from '@antelope-history/connectivity';
import type { Client } from '@elastic/elasticsearch';
import { hasErrorCode, HistoryError } from '@antelope-history/schemas';
import { withClient } from '../client/client';
import type { ElasticsearchOptions } from '../client/elasticsearch-options';
import { withStoreErrors } from '../client/store-errors';
import { IndexNames } from '../indices/index-names';
import { ProgressReader } from '../indices/progress';
import {
  deleteSnapshot,
  findSnapshot,
  POLL_MS,
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

/** For this time the cluster may not show a snapshot that it has begun or ends. */
const MISSING_LIMIT_MS = 10_000;
/** How long an interrupted program waits for the deletion, which the cluster ends anyway. */
const DELETE_LIMIT_SECONDS = 5;

/**
 * Makes one snapshot of all indices of the store. Elasticsearch copies the indices at different moments: a snapshot in which the
 * journal is newer than the documents would restore a store that commits blocks it does not have. So the snapshot counts only
 * when nothing was written from before its start until after its end; otherwise it is deleted. One that a killed program left and
 * that is still being made is waited for and compared in the same way, a failed one is replaced. Rejects with `STORE_IN_USE` when
 * something was written, with `STOPPED` when the signal aborts, after which the snapshot is deleted, too, with `CONFIG_INVALID` when
 * there is no such repository, no data, or a snapshot of that name, with `STORE_REFUSED` when the cluster cannot make it, and as
 * `openElasticsearchStoreReader`.
 */
export async function createSnapshot(options: ElasticsearchOptions, snapshot: SnapshotOptions): Promise<StoreSnapshot> {
  const names = new IndexNames(options.indexPrefix);
  const run = { hasBegun: false };
  const create = async (client: Client): Promise<StoreSnapshot> => {
    await requireRepository(client, snapshot.repository);
    let writes = await findUnfinished(client, names, snapshot);
    if (writes === undefined) {
      const metadata = await describeStore(client, names);
      writes = metadata.history_writes;
      run.hasBegun = true;
      await requestSnapshot(client, names, snapshot, metadata);
    }
    const made = await untilMade(client, names, snapshot);
    await requireNoWrites(client, names, snapshot, writes);
    return made;
  };
  try {
    return await withClient(options, create, snapshot.signal);
  } catch (error) {
    if (!run.hasBegun || !hasErrorCode(error, 'STOPPED')) throw error;
    await deleteInterrupted(options, snapshot);
    throw new HistoryError('STOPPED', `the snapshot ${snapshot.name} was interrupted and is deleted`);
  }
}

async function requestSnapshot(
  client: Client,
  names: IndexNames,
  { repository, name }: SnapshotOptions,
  metadata: SnapshotMetadata,
): Promise<void> {
  try {
    await withStoreErrors(
      client.snapshot.create({
        repository,
        snapshot: name,
        indices: names.pattern,
        include_global_state: false,
        feature_states: ['none'],
        metadata: { ...metadata },
        wait_for_completion: false,
      }),
    );
  } catch (error) {
    // The client sends it again when the response is lost, and the cluster refuses a second snapshot of the name.
    if (!hasErrorCode(error, 'STORE_REFUSED')) throw error;
    const begun = (await findSnapshot(client, repository, name))?.metadata as Partial<SnapshotMetadata> | undefined;
    const isOurs = begun?.history_index_prefix === names.prefix && begun.history_writes === metadata.history_writes;
    if (!isOurs) throw error;
  }
}

/** Deletes the snapshot and rejects with `STORE_IN_USE` when the store has other writes now than at its start. */
async function requireNoWrites(
  client: Client,
  names: IndexNames,
  snapshot: SnapshotOptions,
  writes: string,
): Promise<void> {
  if ((await readNewestWrites(client, names)) === writes) return;
  await deleteSnapshot(client, snapshot);
  throw new HistoryError(
    'STORE_IN_USE',
    'indexers wrote while the snapshot was made, so that it was deleted: stop the indexing side first',
  );
}

/**
 * The writes of a snapshot of the store and of this name that the cluster still makes. Deletes one that failed, which no restore takes.
 * Rejects with `CONFIG_INVALID` when there is any other of the name.
 */
async function findUnfinished(
  client: Client,
  names: IndexNames,
  snapshot: SnapshotOptions,
): Promise<string | undefined> {
  const { repository, name } = snapshot;
  const info = await findSnapshot(client, repository, name);
  if (!info) return undefined;
  const isOwn = toStoreSnapshot(info, names) !== undefined;
  const { history_writes: writes } = (info.metadata ?? {}) as Partial<SnapshotMetadata>;
  if (isOwn && info.state === 'IN_PROGRESS' && writes !== undefined) return writes;
  if (isOwn && (info.state === 'FAILED' || info.state === 'PARTIAL')) {
    await deleteSnapshot(client, snapshot);
    return undefined;
  }
  const isNewest = isOwn && writes !== undefined && writes === (await readNewestWrites(client, names));
  throw new HistoryError(
    'CONFIG_INVALID',
    `the repository ${repository} has a snapshot ${name} already, ` +
      (isNewest ? 'which has all that the store has' : 'which is not of what the store has now: give another name'),
  );
}

/** Rejects with `STOPPED` when Elasticsearch does not confirm it soon. */
async function deleteInterrupted(options: ElasticsearchOptions, snapshot: SnapshotOptions): Promise<void> {
  try {
    await withClient({ ...options, requestTimeoutSeconds: DELETE_LIMIT_SECONDS }, (client) =>
      deleteSnapshot(client, snapshot),
    );
  } catch (cause) {
    throw new HistoryError(
      'STOPPED',
      `the snapshot ${snapshot.name} was interrupted, and Elasticsearch does not confirm that it is deleted: --list shows whether it is`,
      { cause },
    );
  }
}

async function describeStore(
  client: Client,
  names: IndexNames,
): Promise<SnapshotMetadata & { history_writes: string }> {
  // Before the rest: what is written in between is then noticed as a later write.
  const writes = await readNewestWrites(client, names);
  const read = await new ProgressReader(client, names).read();
  if (!read) throw new HistoryError('CONFIG_INVALID', `the cluster has no indices ${names.pattern}`);
  const { chain_id: chainId, committed } = read.progress;
  return {
    history_index_prefix: names.prefix,
    history_writes: writes,
    // Elasticsearch fails on null here.
    ...(chainId !== undefined && { history_chain_id: chainId }),
    ...(committed && { history_committed: committed }),
  };
}

/** The snapshot when it is made. Rejects with `STOPPED` when the signal aborts before. */
async function untilMade(
  client: Client,
  names: IndexNames,
  { repository, name, onProgress, signal }: SnapshotOptions,
): Promise<StoreSnapshot> {
  let seenAt = performance.now();
  for (;;) {
    const info = await findSnapshot(client, repository, name);
    const { successful = 0, total = 0 } = info?.shards ?? {};
    onProgress?.(successful, total);
    const made = info?.state === 'SUCCESS' ? toStoreSnapshot(info, names) : undefined;
    if (made) return made;
    if (info) seenAt = performance.now();
    requireInProgress(info, name, performance.now() - seenAt);
    await abortableSleep(POLL_MS, signal);
    if (signal?.aborted) {
      throw new HistoryError(
        'STOPPED',
        `the cluster goes on to make the snapshot ${name}: the same command waits for it`,
      );
    }
  }
}

/** Throws `STORE_REFUSED` when the cluster does not go on to make the snapshot. */
function requireInProgress(info: Awaited<ReturnType<typeof findSnapshot>>, name: string, missingForMs: number): void {
  if (!info) {
    if (missingForMs <= MISSING_LIMIT_MS) return;
    throw new HistoryError('STORE_REFUSED', `the snapshot ${name} was deleted while it was made`);
  }
  if (info.state === 'IN_PROGRESS') return;
  const reason = info.failures?.[0]?.reason ?? info.state ?? 'unknown';
  throw new HistoryError('STORE_REFUSED', `Elasticsearch could not make the snapshot ${name}: ${reason}`);
}
