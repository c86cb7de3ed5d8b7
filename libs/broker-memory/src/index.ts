export * from './memory-broker';
