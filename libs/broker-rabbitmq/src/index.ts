export { rabbitmqChecks } from './check-rabbitmq';
export { openRabbitmqBroker } from './open-rabbitmq-broker';
export type { RabbitmqOptions } from './rabbitmq-options';
