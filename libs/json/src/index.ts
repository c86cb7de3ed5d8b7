export * from './json-value';
