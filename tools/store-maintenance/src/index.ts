export type { StoredFault, VerifiedCounts } from './chain-verifier';
export { BACKUP_USAGE } from './backup-command';
export { MIGRATE_USAGE } from './migrate-command';
export * from './repair-command';
export * from './verify-store';
export { SNAPSHOT_USAGE } from './snapshot-command';
export * from './verify-command';
