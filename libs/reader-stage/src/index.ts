export * from './backoff';
export * from './chain-position';
export * from './reader';
