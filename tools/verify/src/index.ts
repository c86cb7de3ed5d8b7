export type { StoredFault, VerifiedCounts } from './chain-verifier';
export * from './repair-command';
export * from './verify-store';
export * from './verify-command';
