export * from './open-backends';
export { showQueues } from './queue-metrics';
