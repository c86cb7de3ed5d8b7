export { type CreateTarget, openGatewayStand } from './gateway-stand';
export { readKnownRawFailures } from './known-raw-failures';
export { type RawAttack } from './raw-attack';
export { runRawCommand } from './raw-command';
export { readResponses } from './response-stream';
export { openServiceStand } from './service-stand';
export { replayAttacks, runRawFuzz } from './run-raw-fuzz';
