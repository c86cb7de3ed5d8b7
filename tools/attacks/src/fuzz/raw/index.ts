export { type CreateTarget, openGatewayFixture } from './gateway-fixture';
export { readKnownRawFailures } from './known-raw-failures';
export { type RawAttack } from './raw-attack';
export { runRawCommand } from './raw-command';
export { readResponses } from './response-stream';
export { openServiceFixture } from './service-fixture';
export { replayAttacks, runRawFuzz } from './run-raw-fuzz';
