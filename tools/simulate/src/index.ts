export * from './kill-run';
export * from './random';
