import type { QueueBounds } from '@antelope-history/broker';
import { deadLetterArguments, queueArguments } from './queue-arguments';

const VHOST = 'history';
const USER = 'history';

/**
 * What the server can be given before anything starts, in the format of its own definitions files: the virtual host, its
 * user without a password (then nobody can log in until one is set), and the queues as they are made at a start.
 */
export function renderDefinitions(topology: Record<string, QueueBounds>): string {
  const queue = (name: string, args: Record<string, string | number>): object => ({
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
    queues: Object.values(topology).flatMap((each) => [
      queue(each.name, queueArguments(each)),
      queue(each.deadLetter, deadLetterArguments(each)),
    ]),
  };
  return `${JSON.stringify(definitions, null, 2)}\n`;
}
