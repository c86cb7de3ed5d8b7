export { rabbitmqChecks } from './rabbitmq-checks';
