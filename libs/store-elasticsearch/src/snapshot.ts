export type { ElasticsearchOptions } from './client/elasticsearch-options';
export { createSnapshot, type SnapshotOptions } from './snapshot/create-snapshot';
export { listSnapshots } from './snapshot/list-snapshots';
export { restoreSnapshot } from './snapshot/restore-snapshot';
export type { StoreSnapshot } from './snapshot/snapshot-client';
