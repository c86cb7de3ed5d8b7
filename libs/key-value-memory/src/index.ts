export * from './memory-key-value';
