export * from './json-value';
export * from './json-writer';
export * from './write-json';
