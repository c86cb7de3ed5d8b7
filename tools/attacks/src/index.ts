export * from './fuzz';
export * from './hostile-chain';
export * from './load';
