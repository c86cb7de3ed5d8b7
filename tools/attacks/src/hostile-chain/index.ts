export { AttackRun, type Extent, type Outcome } from './attack-run';
export { ATTACKS } from './attacks/all-attacks';
export type { Attack } from './attacks/attack';
export { generateHostileChain } from './generate';
export type { HostileChain } from './hostile-chain';
export { HOSTILE_SAMPLE } from './hostile-sample';
export { HostileService } from './hostile-service';
export { LIMITS, SHARED_MACHINE } from './limits';
export { excesses } from './table';
