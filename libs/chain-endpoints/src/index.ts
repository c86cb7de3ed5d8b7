export * from './chain-api';
