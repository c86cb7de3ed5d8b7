export { openRabbitmqBroker } from './open-rabbitmq-broker';
export type { RabbitmqOptions } from './rabbitmq-options';
