export { MISBEHAVIOURS, startHostileNode, type HonestParts, type HostileNode, type Misbehaviour } from './hostile-node';
export type { ReplayPace } from './replay-clock';
export type { ConnectionStats } from './replay-connection';
export type { Drawn, ReplayFaults } from './replay-faults';
export type { ReplayMessage } from './replay-report';
export { createShipReplay } from './ship-replay';
export type { ShipReplay, ShipReplayOptions, ShipReplayStats } from './ship-replay';
