export { shipChecks, type ShipCheckOptions, type StoredChain } from './ship-checks';
