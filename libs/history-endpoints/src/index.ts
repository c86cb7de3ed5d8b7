export * from './history-api';
export { createStreamHandler } from './stream/stream-handler';
