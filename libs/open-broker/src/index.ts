export * from './open-broker';
export { registerQueueMetrics } from './queue-metrics';
