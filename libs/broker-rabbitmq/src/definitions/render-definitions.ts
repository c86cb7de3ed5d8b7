import type { QueueBounds } from '@antelope-history/broker';
import { declarationsOf, type QueueDeclaration } from '../queue-arguments';

const VHOST = 'history';
const USER = 'history';

/**
 * A definitions file for RabbitMQ, to be imported before the first start: the virtual host, its user, and the queues as the
 * broker declares them. The user has no password, so nobody can log in until one is set.
 *
 * Format: https://www.rabbitmq.com/docs/definitions
 */
export function renderDefinitions(topology: Record<string, QueueBounds>): string {
  const render = ({ name, arguments: args }: QueueDeclaration): object => ({
    name,
    vhost: VHOST,
    durable: true,
    auto_delete: false,
    arguments: args,
  });
  const definitions = {
    vhosts: [{ name: VHOST }],
    users: [{ name: USER, password_hash: '', hashing_algorithm: 'rabbit_password_hashing_sha256', tags: [] }],
    permissions: [{ user: USER, vhost: VHOST, configure: '.*', write: '.*', read: '.*' }],
    queues: Object.values(topology).flatMap((queue) => declarationsOf(queue, 'quorum').map(render)),
  };
  return `${JSON.stringify(definitions, null, 2)}\n`;
}
