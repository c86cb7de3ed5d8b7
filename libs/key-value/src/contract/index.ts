export * from './key-value-contract';
