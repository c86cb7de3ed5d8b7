export * from './compare-stores';
export * from './kill-run';
export * from './random';
