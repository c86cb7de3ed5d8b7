export * from './trace-api';
