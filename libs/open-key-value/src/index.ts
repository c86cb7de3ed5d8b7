export * from './open-key-value';
export * from './open-chain-key-values';
