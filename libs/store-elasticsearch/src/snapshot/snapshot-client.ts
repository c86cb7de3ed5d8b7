import { createHash } from 'node:crypto';
import type { Client, estypes } from '@elastic/elasticsearch';
import { type BlockPosition, HistoryError } from '@antelope-history/schemas';
import { undefinedIfMissing, withStoreErrors } from '../client/store-errors';
import type { IndexNames } from '../indices/index-names';

/** How often the cluster is asked how far it is. */
export const POLL_MS = 500;

/** A snapshot of all indices of one store. */
export interface StoreSnapshot {
  name: string;
  /** When it was begun, in milliseconds since 1970. */
  takenAt: number;
  /** False while it is made, and when it failed. */
  isComplete: boolean;
  chainId: string | undefined;
  committed: BlockPosition | undefined;
  indices: number;
  bytes: number | undefined;
}

/** What a snapshot says of the store that it is of. */
export interface SnapshotMetadata {
  history_index_prefix: string;
  history_chain_id?: string;
  history_committed?: BlockPosition;
  /** See `readNewestWrites`; snapshots of earlier versions have none. */
  history_writes?: string;
}

/** A digest of the newest write to each index: it differs after every write, and is the same in indices that were restored. */
export async function readNewestWrites(client: Client, names: IndexNames): Promise<string> {
  const stats = await withStoreErrors(
    client.indices.stats({ index: names.pattern, metric: 'indexing', level: 'shards' }),
  );
  const newest = Object.entries(stats.indices ?? {}).flatMap(([index, { shards = {} }]) =>
    Object.entries(shards).map(([shard, copies]) => {
      const primary = copies.find(({ routing }) => routing?.primary);
      return `${index} ${shard} ${primary?.seq_no?.max_seq_no}`;
    }),
  );
  return createHash('sha256').update(newest.sort().join('\n')).digest('hex');
}

/** A snapshot of any store in the repository; undefined when there is none of the name. */
export async function findSnapshot(
  client: Client,
  repository: string,
  snapshot: string,
): Promise<estypes.SnapshotSnapshotInfo | undefined> {
  const found = await undefinedIfMissing(client.snapshot.get({ repository, snapshot, index_details: true }));
  return found?.snapshots?.[0];
}

/** Resolves when the repository has no snapshot of the name. */
export async function deleteSnapshot(
  client: Client,
  { repository, name }: { repository: string; name: string },
): Promise<void> {
  await undefinedIfMissing(client.snapshot.delete({ repository, snapshot: name }));
}

/** The store snapshot in the form of the others; undefined for a snapshot that another program made. */
export function toStoreSnapshot(info: estypes.SnapshotSnapshotInfo, names: IndexNames): StoreSnapshot | undefined {
  const metadata = info.metadata as Partial<SnapshotMetadata> | undefined;
  if (metadata?.history_index_prefix !== names.prefix) return undefined;
  const sizes = Object.values(info.index_details ?? {}).map(({ size_in_bytes: bytes }) => bytesOf(bytes));
  return {
    name: info.snapshot,
    takenAt: info.start_time_in_millis ?? 0,
    isComplete: info.state === 'SUCCESS',
    chainId: metadata.history_chain_id,
    committed: metadata.history_committed,
    indices: info.indices?.length ?? 0,
    bytes: sizes.length > 0 ? sizes.reduce((sum, each) => sum + each, 0) : undefined,
  };
}

/** The client's type says that a size can be a text with a unit, which it is only when it is asked for. */
function bytesOf(size: estypes.ByteSize): number {
  return typeof size === 'number' ? size : 0;
}

/** Rejects with `CONFIG_INVALID` when the cluster has no repository of the name. */
export async function requireRepository(client: Client, repository: string): Promise<void> {
  if (await undefinedIfMissing(client.snapshot.getRepository({ name: repository }))) return;
  throw new HistoryError(
    'CONFIG_INVALID',
    `the cluster has no snapshot repository ${repository}: register one (docs/elasticsearch.md, "Snapshots")`,
  );
}
