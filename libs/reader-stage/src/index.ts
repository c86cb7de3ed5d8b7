export * from './backoff';
export * from './chain-position';
export * from './reader';
export { SHIP_CONNECTED } from './reader-metrics';
