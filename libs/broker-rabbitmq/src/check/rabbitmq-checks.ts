import { randomBytes } from 'node:crypto';
import type { Channel } from 'amqplib';
import { TOPOLOGY } from '@antelope-history/broker';
import { ConnectionError } from '@antelope-history/connectivity';
import { ok, toFinding, warning, wrong, type Check, type Finding } from '@antelope-history/connectivity/check';
import { hasErrorCode, HistoryError } from '@antelope-history/schemas';
import { nodeUrls } from '../node-rotation';
import { declarationsOf, type QueueDeclaration } from '../queue-arguments';
import {
  grantCommand,
  isPreconditionFailed,
  isQueueGone,
  replyCodeOf,
  toDeclareError,
  unavailable,
} from '../rabbitmq-errors';
import type { RabbitmqOptions } from '../rabbitmq-options';
import { ServerConnection } from '../server-connection';
import { readRefusal } from './refusal-reason';

const SERVER = 'rabbitmq';
const CONFIGURE = 'rabbitmq configure permission';
const PUBLISHING = 'rabbitmq publishing';
const ACCESS_REFUSED = 403;
/** The default exchange routes a message to the queue that is its routing key; no queue has the name of a probe. */
const DEFAULT_EXCHANGE = '';

type Context = { options: RabbitmqOptions; signal: AbortSignal };

/**
 * The checks of RabbitMQ as the broker uses it. They leave nothing on the server. Of several nodes each is asked for a connection,
 * and the first one for the rest.
 */
export function rabbitmqChecks(settings: RabbitmqOptions): Check[] {
  const [url = '', ...otherUrls] = nodeUrls(settings.url);
  const options = { ...settings, url };
  const check = (name: string, needs: string[], run: (context: Context) => Promise<Finding>): Check => ({
    name,
    needs,
    run: (signal) => run({ options, signal }),
  });
  return [
    check(SERVER, [], checkServer),
    ...otherUrls.map((otherUrl) => ({
      name: `${SERVER} ${otherUrl}`,
      needs: [],
      run: (signal: AbortSignal) => checkServer({ options: { ...options, url: otherUrl }, signal }),
    })),
    check(CONFIGURE, [SERVER], checkConfigure),
    check('rabbitmq queues', [CONFIGURE], checkQueues),
    check('rabbitmq read permission', [SERVER], checkRead),
    check(PUBLISHING, [SERVER], checkPublishing),
    check('rabbitmq message size', [PUBLISHING], checkMessageSize),
  ];
}

async function checkServer(context: Context): Promise<Finding> {
  const { options } = context;
  try {
    await withConnection(context, () => Promise.resolve());
    return ok('rabbitmq.answers', `the user ${options.username} has access to the virtual host ${options.vhost}`);
  } catch (error) {
    if (error instanceof ConnectionError) return toFinding(error, SERVER);
    if (hasErrorCode(error, 'ACCESS_REFUSED')) return describeRefusal(context, error);
    if (!(error instanceof HistoryError)) throw error;
    return wrong(
      'rabbitmq.not_usable',
      error.message.split(': ')[0] ?? '',
      'name the host and the AMQP port of RabbitMQ (5672, with TLS 5671) in broker.rabbitmq.url',
    );
  }
}

/** The server refuses a connection for one of several reasons, which only its reply text distinguishes. */
async function describeRefusal({ options, signal }: Context, error: HistoryError): Promise<Finding> {
  const { vhost, username } = options;
  const refusal = (await readRefusal(options, signal)) ?? '';
  const name = 'broker.rabbitmq.vhost';
  if (/not found/.test(refusal)) {
    const change = `create it (rabbitmqctl add_vhost ${vhost}), or name another one in ${name}`;
    return wrong('rabbitmq.no_vhost', `the virtual host ${vhost} does not exist`, change);
  }
  if (/limit/.test(refusal)) {
    const what = `the virtual host ${vhost} or the user ${username} has reached its limit of connections`;
    return wrong('rabbitmq.connection_limit', what, 'raise the limit, or close connections');
  }
  if (/down/.test(refusal)) {
    const change = `see the log of RabbitMQ; rabbitmqctl restart_vhost --vhost ${vhost} may restart it`;
    return wrong('rabbitmq.vhost_down', `the virtual host ${vhost} is down`, change);
  }
  if (/refused/.test(refusal)) {
    const what = `the user ${username} has no permissions on the virtual host ${vhost}`;
    return wrong('rabbitmq.no_access', what, `grant them: ${grantCommand(options)}`);
  }
  const [what = '', ...change] = error.message.split(': ');
  return wrong('rabbitmq.no_access', what, change.join(': '));
}

/** The server checks permissions before it looks for the queue, so a probe works with a queue that does not exist. */
async function checkConfigure(context: Context): Promise<Finding> {
  const declare = (channel: Channel): Promise<unknown> => channel.assertQueue(probeName(), { exclusive: true });
  return (await isRefused(context, declare)) ? lacking('configure', context) : has('configure');
}

async function checkRead(context: Context): Promise<Finding> {
  const get = (channel: Channel): Promise<unknown> => channel.get(probeName());
  return (await isRefused(context, get)) ? lacking('read', context) : has('read');
}

async function isRefused(context: Context, use: (channel: Channel) => Promise<unknown>): Promise<boolean> {
  try {
    await withConnection(context, (connection) => onChannel(connection, use));
    return false;
  } catch (error) {
    if (isQueueGone(error)) return false;
    if (replyCodeOf(error) === ACCESS_REFUSED) return true;
    throw error;
  }
}

function has(permission: string): Finding {
  return ok(`rabbitmq.${permission}_permission`, 'the user has it');
}

function lacking(permission: string, { options }: Context): Finding {
  return wrong(
    `rabbitmq.no_${permission}_permission`,
    `the user ${options.username} lacks the ${permission} permission on the virtual host ${options.vhost}`,
    `grant it: ${grantCommand(options)}`,
  );
}

function checkQueues(context: Context): Promise<Finding> {
  return withConnection(context, async (connection) => {
    const { queueType } = connection;
    const queues = Object.values(TOPOLOGY).flatMap((queue) => declarationsOf(queue, queueType));
    const former = Object.values(TOPOLOGY).flatMap((queue) => declarationsOf(queue, 'classic'));
    let existing = 0;
    for (const [index, queue] of queues.entries()) {
      const { name } = queue;
      // Declaring a queue that exists changes nothing; missing queues are left to the start of the service.
      if (!(await queueExists(connection, name))) continue;
      existing++;
      try {
        await declare(connection, queue);
      } catch (error) {
        if (!isPreconditionFailed(error)) throw error;
        if (await isDeclaredAs(connection, former[index])) return formerQueue(name);
        const [what = '', ...change] = toDeclareError(error, name, context.options).message.split(': ');
        return wrong('rabbitmq.queue_mismatch', what, change.join(': '));
      }
    }
    return existing === 0
      ? ok('rabbitmq.no_queues', 'no queue exists yet; the start of the service creates them')
      : ok('rabbitmq.queues', `${existing} of ${queues.length} exist, with the right bounds`);
  });
}

async function isDeclaredAs(connection: ServerConnection, queue: QueueDeclaration | undefined): Promise<boolean> {
  if (!queue) return false;
  return declare(connection, queue).then(
    () => true,
    (error: unknown) => {
      if (isPreconditionFailed(error)) return false;
      throw error;
    },
  );
}

function formerQueue(name: string): Finding {
  return warning(
    'rabbitmq.former_queue',
    `the queue ${name} is a classic one of an earlier version`,
    'stop all apps of the earlier version, and redeliver or delete its dead letters: the start of the service replaces it then',
  );
}

async function declare(connection: ServerConnection, { name, arguments: args }: QueueDeclaration): Promise<void> {
  await onChannel(connection, (channel) => channel.assertQueue(name, { durable: true, arguments: args }));
}

async function queueExists(connection: ServerConnection, name: string): Promise<boolean> {
  try {
    await onChannel(connection, (channel) => channel.checkQueue(name));
    return true;
  } catch (error) {
    if (isQueueGone(error)) return false;
    throw error;
  }
}

/** During an alarm the server does not read what is published, so it reports no missing permission either. */
async function checkPublishing(context: Context): Promise<Finding> {
  try {
    if ((await publish(context, 0)) === 'confirmed') return ok('rabbitmq.publishing', 'the server accepts messages');
  } catch (error) {
    if (replyCodeOf(error) === ACCESS_REFUSED) return lacking('write', context);
    throw error;
  }
  return wrong(
    'rabbitmq.alarm',
    'the server accepts no messages: it is short of memory or disk space',
    'free disk space, or find what fills its memory (rabbitmq-diagnostics alarms)',
  );
}

async function checkMessageSize(context: Context): Promise<Finding> {
  const { splitBytes } = context.options;
  const mebibytes = `${(splitBytes / 1024 / 1024).toFixed(1)} MiB`;
  try {
    await publish(context, splitBytes);
    return ok('rabbitmq.message_size', `the server accepts messages of ${mebibytes}, broker.rabbitmq.split_bytes`);
  } catch (error) {
    if (!isPreconditionFailed(error)) throw error;
    return warning(
      'rabbitmq.message_size_small',
      `the server accepts no messages of ${mebibytes}, broker.rabbitmq.split_bytes: messages are sent in smaller parts`,
      'lower broker.rabbitmq.split_bytes, or raise max_message_size of the server',
    );
  }
}

/** Publishes a message of a size that reaches no queue. */
function publish(context: Context, bytes: number): Promise<'confirmed' | 'blocked'> {
  return withConnection(context, async (connection) => {
    const blocked = new Promise<'blocked'>((resolve) => connection.onBlocked(() => resolve('blocked')));
    const channel = await connection.openConfirmChannel();
    channel.amqp.publish(DEFAULT_EXCHANGE, probeName(), Buffer.alloc(bytes));
    const confirmed = channel.amqp.waitForConfirms().then(
      () => 'confirmed' as const,
      // The client's own error only says that the channel has ended.
      (error: unknown) => Promise.reject(channel.endReason ?? (error as Error)),
    );
    return Promise.race([confirmed, blocked]);
  });
}

async function onChannel<T>(connection: ServerConnection, use: (channel: Channel) => Promise<T>): Promise<T> {
  const channel = await connection.openChannel();
  try {
    return await channel.within(use(channel.amqp));
  } finally {
    await channel.close();
  }
}

async function withConnection<T>(
  { options, signal }: Context,
  use: (connection: ServerConnection) => Promise<T>,
): Promise<T> {
  const connection = await ServerConnection.open(options, 'check-config', signal);
  const timeUp = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(unavailable('no_answer', options)), { once: true });
  });
  try {
    return await Promise.race([use(connection), timeUp]);
  } finally {
    await connection.close();
  }
}

function probeName(): string {
  return `check-config-${randomBytes(6).toString('hex')}`;
}
