export * from './response-check';
