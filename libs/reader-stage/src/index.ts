export * from './chain-position';
export * from './reader';
export * from './reader-health';
