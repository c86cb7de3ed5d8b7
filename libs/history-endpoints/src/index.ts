export * from './history-api';
