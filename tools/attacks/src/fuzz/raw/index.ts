export { readKnownRawFailures } from './known-raw-failures';
export { type RawAttack } from './raw-attack';
export { runRawCommand } from './raw-command';
export { type CreateTarget, RawStand } from './raw-stand';
export { readResponses } from './response-stream';
export { replayAttacks, runRawFuzz } from './run-raw-fuzz';
