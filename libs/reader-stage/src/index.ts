export * from './chain-position';
export { shipChecks, type ShipCheckOptions, type StoredChain } from './check-ship';
export * from './reader';
export * from './reader-health';
