export * from './chain-position';
export * from './reader';
export * from './reader-health';
export { ShipSession, type ShipSessionEvents } from './ship-session';
export { SilenceWatch } from './silence-watch';
