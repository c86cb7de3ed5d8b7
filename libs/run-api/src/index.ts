export * from './run-api';
