export * from './key-value';
export * from './progress';
