import { randomBytes } from 'node:crypto';
import { findRabbitmqctl, rabbitmqctl, type Rabbitmqctl } from '../servers/rabbitmqctl';
import { createFreshName } from './fresh-name';

/** A new virtual host; the fields are named as in the configuration, `broker.rabbitmq`. */
export interface Vhost {
  /** The server, without user and virtual host. */
  url: string;
  vhost: string;
  /** Has all permissions on the virtual host, and none elsewhere. */
  username: string;
  password: string;
  /** Closes every connection to it, as a server restart does. */
  cutConnections(): Promise<void>;
  /** Deletes the messages of a queue, as the loss of a server's disk does. */
  loseMessages(queue: string): Promise<void>;
  /** Removes the virtual host with all its queues, and the user. */
  remove(): Promise<void>;
}

/**
 * Creates a virtual host with a user on the server at a URL; `ctl` administers that server and is by default the one of the
 * test server.
 */
export async function createVhost(
  serverUrl: string,
  { name = createFreshName(), ctl = findRabbitmqctl() }: { name?: string; ctl?: Rabbitmqctl | undefined } = {},
): Promise<Vhost> {
  const password = randomBytes(12).toString('hex');
  await addVhost(ctl, { vhost: name, user: name, password });
  return {
    url: withoutUser(serverUrl),
    vhost: name,
    username: name,
    password,
    async cutConnections() {
      await rabbitmqctl(ctl, ['close_all_connections', '--vhost', name, 'a test cuts it']);
    },
    async loseMessages(queue) {
      await rabbitmqctl(ctl, ['purge_queue', '-p', name, queue]);
    },
    async remove() {
      await Promise.all([rabbitmqctl(ctl, ['delete_vhost', name]), rabbitmqctl(ctl, ['delete_user', name])]);
    },
  };
}

/**
 * Creates a virtual host and a user with all permissions in it and none in others. One command imports all three: each starts an Erlang
 * node, which takes half a second of processor time.
 */
export async function addVhost(
  ctl: Rabbitmqctl,
  { vhost, user, password }: { vhost: string; user: string; password: string },
): Promise<void> {
  const definitions = {
    vhosts: [{ name: vhost }],
    users: [{ name: user, password, tags: '' }],
    permissions: [{ vhost, user, configure: '.*', write: '.*', read: '.*' }],
  };
  // From standard input: process lists show arguments.
  await rabbitmqctl(ctl, ['import_definitions'], JSON.stringify(definitions));
}

function withoutUser(serverUrl: string): string {
  const { protocol, host } = new URL(serverUrl);
  return `${protocol}//${host}`;
}
