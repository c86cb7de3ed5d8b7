export * from './kill-run';
