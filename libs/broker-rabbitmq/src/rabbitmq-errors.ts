import {
  addressOf,
  ConnectionError,
  describeTrouble,
  toConnectionError,
  type ServerName,
} from '@antelope-history/connections';
import { HistoryError } from '@antelope-history/schemas';
import type { RabbitmqOptions } from './rabbitmq-options';

/** Reply codes of AMQP 0-9-1 that an error of a channel carries. */
const ACCESS_REFUSED = 403;
const NOT_FOUND = 404;
const PRECONDITION_FAILED = 406;

/** Where a connection is made to, in messages about it. */
type ServerOptions = Pick<RabbitmqOptions, 'url' | 'vhost' | 'username'>;

/**
 * Why a connection could not be made: `ACCESS_REFUSED` or `CERTIFICATE_REFUSED` when trying again is no use, else
 * `BROKER_UNAVAILABLE`. The server's own words and the client's are left out.
 */
export function toConnectError(error: unknown, options: ServerOptions): HistoryError {
  if (error instanceof HistoryError) return error;
  const text = error instanceof Error ? error.message : '';
  if (text.includes('ACCESS_REFUSED')) return unavailable('wrong_password', options);
  // The client does not say why the server closed the connection that it was asked to open.
  if (text.includes('Expected ConnectionOpenOk')) {
    return new HistoryError(
      'ACCESS_REFUSED',
      `RabbitMQ does not let the user ${options.username} into the virtual host ${options.vhost}: it does not exist ` +
        `(rabbitmqctl add_vhost ${options.vhost}), or the user has no permissions on it (${grant(options)})`,
    );
  }
  return toConnectionError(error, serverName(options), 'BROKER_UNAVAILABLE');
}

/** A connection that was not there in time, or was refused. */
export function unavailable(kind: 'no_answer' | 'wrong_password', options: ServerOptions): HistoryError {
  return new ConnectionError(describeTrouble(kind, serverName(options)), 'BROKER_UNAVAILABLE');
}

/** What ended a channel: `ACCESS_REFUSED` when the user lacks a permission, else `BROKER_UNAVAILABLE`. */
export function toChannelError(error: unknown, options: ServerOptions): HistoryError {
  if (error instanceof HistoryError) return error;
  if (replyCodeOf(error) === ACCESS_REFUSED) {
    return new HistoryError(
      'ACCESS_REFUSED',
      `the user ${options.username} lacks a permission on RabbitMQ's virtual host ${options.vhost}: ${grant(options)}`,
    );
  }
  const text = error instanceof Error ? error.message : String(error);
  return new HistoryError('BROKER_UNAVAILABLE', `RabbitMQ ended a channel: ${text}`);
}

/** Why a queue could not be declared: `BROKER_QUEUE_MISMATCH` when it is there with other bounds. */
export function toDeclareError(error: unknown, name: string, options: ServerOptions): HistoryError {
  if (!isPreconditionFailed(error)) return toChannelError(error, options);
  return new HistoryError(
    'BROKER_QUEUE_MISMATCH',
    `the queue ${name} was made with other bounds: stop what uses it and delete it ` +
      `(rabbitmqctl delete_queue --vhost ${options.vhost} ${name}); it is made anew, and the chain is read again`,
  );
}

/** Of a publish: the message is larger than the server's `max_message_size`. */
export function isPreconditionFailed(error: unknown): boolean {
  return replyCodeOf(error) === PRECONDITION_FAILED;
}

/** A queue that was there when it was declared. */
export class QueueGoneError extends HistoryError {
  constructor(name: string) {
    super('BROKER_UNAVAILABLE', `the queue ${name} is gone; it is made again`);
  }
}

/** Not for one that is there, but on a server of the cluster that is away: the code is the same. */
export function isQueueGone(error: unknown): boolean {
  if (error instanceof QueueGoneError) return true;
  return replyCodeOf(error) === NOT_FOUND && (error as Error).message.includes('no queue');
}

/** Whether there is more to say than that a channel went with its connection. */
export function isWorthTelling(error: unknown): boolean {
  return error instanceof HistoryError || replyCodeOf(error) !== undefined;
}

export function stopped(): HistoryError {
  return new HistoryError('STOPPED', 'the broker is closed');
}

/** The code of AMQP 0-9-1 with which the server ended a channel or connection. */
export function replyCodeOf(error: unknown): number | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'number' ? code : undefined;
}

/** The command that gives a user all that it needs. */
export function grant({ vhost, username }: ServerOptions): string {
  return `rabbitmqctl set_permissions --vhost ${vhost} ${username} ".*" ".*" ".*"`;
}

function serverName({ url }: ServerOptions): ServerName {
  const keys = {
    url: 'broker.rabbitmq.url',
    caFile: 'broker.rabbitmq.ca_file',
    access: 'broker.rabbitmq.username and password',
  };
  return { name: 'RabbitMQ', address: addressOf(url), keys };
}
