export * from './memory-broker';
export * from './memory-key-value';
