export * from './open-key-value';
