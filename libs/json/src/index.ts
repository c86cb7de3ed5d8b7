export * from './json-value';
export * from './write-json';
