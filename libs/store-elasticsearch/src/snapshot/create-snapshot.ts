import { abortableSleep } from '@antelope-history/connectivity';
import type { Client } from '@elastic/elasticsearch';
import { hasErrorCode, HistoryError } from '@antelope-history/schemas';
import { withClient } from '../client/client';
import type { ElasticsearchOptions } from '../client/elasticsearch-options';
import { undefinedIfMissing, withStoreErrors } from '../client/store-errors';
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
  const run = { hasBegun: false };
  const onBegin = (): void => void (run.hasBegun = true);
  try {
    return await withClient(options, (client) => make(client, options, { ...snapshot, onBegin }), snapshot.signal);
  } catch (error) {
    if (!run.hasBegun || !hasErrorCode(error, 'STOPPED')) throw error;
    await deleteInterrupted(options, snapshot);
    throw new HistoryError('STOPPED', `the snapshot ${snapshot.name} was interrupted and is deleted`);
  }
}

/** `onBegin`: called before the cluster is asked to make it. */
type Making = SnapshotOptions & { onBegin(): void };

async function make(client: Client, { indexPrefix }: ElasticsearchOptions, snapshot: Making): Promise<StoreSnapshot> {
  const names = new IndexNames(indexPrefix);
  const { repository, name } = snapshot;
  await requireRepository(client, repository);
  const writes = (await findUnfinished(client, names, snapshot)) ?? (await begin(client, names, snapshot));
  const made = await untilMade(client, names, snapshot);
  if ((await readNewestWrites(client, names)) === writes) return made;
  await undefinedIfMissing(client.snapshot.delete({ repository, snapshot: name }));
  throw new HistoryError(
    'STORE_IN_USE',
    'indexers wrote while the snapshot was made, so that it was deleted: stop the indexing side first',
  );
}

/** Asks the cluster to make it; returns the writes that it is to have. */
async function begin(client: Client, names: IndexNames, { repository, name, onBegin }: Making): Promise<string> {
  const metadata = await describeStore(client, names);
  onBegin();
  await withStoreErrors(
    client.snapshot.create({
      repository,
      snapshot: name,
      indices: `${names.prefix}-*`,
      include_global_state: false,
      feature_states: ['none'],
      metadata: { ...metadata },
      wait_for_completion: false,
    }),
  );
  return metadata.history_writes;
}

/**
 * The writes of a snapshot of the store and of this name that the cluster still makes. Deletes one that failed, which no restore takes.
 * Rejects with `CONFIG_INVALID` when there is any other of the name.
 */
async function findUnfinished(
  client: Client,
  names: IndexNames,
  { repository, name }: SnapshotOptions,
): Promise<string | undefined> {
  const info = await findSnapshot(client, repository, name);
  if (!info) return undefined;
  const isOwn = toStoreSnapshot(info, names) !== undefined;
  const { history_writes: writes } = (info.metadata ?? {}) as Partial<SnapshotMetadata>;
  if (isOwn && info.state === 'IN_PROGRESS' && writes !== undefined) return writes;
  if (isOwn && (info.state === 'FAILED' || info.state === 'PARTIAL')) {
    await undefinedIfMissing(client.snapshot.delete({ repository, snapshot: name }));
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
async function deleteInterrupted(options: ElasticsearchOptions, { repository, name }: SnapshotOptions): Promise<void> {
  try {
    await withClient({ ...options, requestTimeoutSeconds: DELETE_LIMIT_SECONDS }, (client) =>
      undefinedIfMissing(client.snapshot.delete({ repository, snapshot: name })),
    );
  } catch (cause) {
    throw new HistoryError(
      'STOPPED',
      `the snapshot ${name} was interrupted, and Elasticsearch does not confirm that it is deleted: --list shows whether it is`,
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
