export * from './history-store';
