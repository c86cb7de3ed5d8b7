import {
  addressOf,
  ConnectionError,
  describeTrouble,
  toConnectionError,
  type ServerName,
} from '@antelope-history/connectivity';
import { HistoryError } from '@antelope-history/schemas';
import type { RabbitmqOptions } from './rabbitmq-options';

/** Reply codes of AMQP 0-9-1 that an error of a channel carries. */
const ACCESS_REFUSED = 403;
const NOT_FOUND = 404;
const PRECONDITION_FAILED = 406;

/** What messages name of a connection. */
type ServerOptions = Pick<RabbitmqOptions, 'url' | 'vhost' | 'username'>;

/**
 * Why a connection could not be made: `ACCESS_REFUSED` or `CERTIFICATE_REFUSED` when a retry is pointless, else
 * `BROKER_UNAVAILABLE`. The texts of the server and of the client are left out, as they may contain the password.
 */
export function toConnectError(error: unknown, options: ServerOptions): HistoryError {
  if (error instanceof HistoryError) return error;
  const text = error instanceof Error ? error.message : '';
  if (text.includes('ACCESS_REFUSED')) return unavailable('wrong_password', options);
  // The client does not pass on why the server closed the connection instead of opening it.
  if (text.includes('Expected ConnectionOpenOk')) {
    return new HistoryError(
      'ACCESS_REFUSED',
      `RabbitMQ does not let the user ${options.username} into the virtual host ${options.vhost}: it does not exist ` +
        `(rabbitmqctl add_vhost ${options.vhost}), or the user has no permissions on it (${grantCommand(options)})`,
    );
  }
  return toConnectionError(error, serverName(options), 'BROKER_UNAVAILABLE');
}

/** A connection that the server did not open in time, or refused. */
export function unavailable(kind: 'no_answer' | 'wrong_password', options: ServerOptions): HistoryError {
  return new ConnectionError(describeTrouble(kind, serverName(options)), 'BROKER_UNAVAILABLE');
}

/** Why a channel ended: `ACCESS_REFUSED` when the user lacks a permission, else `BROKER_UNAVAILABLE`. */
export function toChannelError(error: unknown, options: ServerOptions): HistoryError {
  if (error instanceof HistoryError) return error;
  if (replyCodeOf(error) === ACCESS_REFUSED) {
    return new HistoryError(
      'ACCESS_REFUSED',
      `the user ${options.username} lacks a permission on RabbitMQ's virtual host ${options.vhost}: ${grantCommand(options)}`,
    );
  }
  const text = error instanceof Error ? error.message : String(error);
  return new HistoryError('BROKER_UNAVAILABLE', `RabbitMQ ended a channel: ${text}`);
}

/** Why a queue could not be declared: `BROKER_QUEUE_MISMATCH` when it exists with other bounds or of another type. */
export function toDeclareError(error: unknown, name: string, options: ServerOptions): HistoryError {
  if (!isPreconditionFailed(error)) return toChannelError(error, options);
  return new HistoryError(
    'BROKER_QUEUE_MISMATCH',
    `the queue ${name} exists with other bounds or of another type: stop the apps that use it and delete it ` +
      `(rabbitmqctl delete_queue --vhost ${options.vhost} ${name}); the next start creates it, and the chain is read again`,
  );
}

/**
 * Whether the server refused a call by a precondition. For a publish this means that the message is larger than `max_message_size`, for a
 * declaration that the queue exists with other arguments.
 */
export function isPreconditionFailed(error: unknown): boolean {
  return replyCodeOf(error) === PRECONDITION_FAILED;
}

/**
 * How long a deleted queue is not created again. The server cancels the consumers of a deleted queue at its own pace. When a quorum
 * queue of the same name existed by then, a consumer was kept and never received the first messages, which the server counted as
 * delivered to it (seen with RabbitMQ 3.10.8).
 */
export const RECREATE_AFTER_MS = 2_000;

/** A queue was deleted after it had been declared. */
export class QueueGoneError extends HistoryError {
  constructor(name: string) {
    super('BROKER_UNAVAILABLE', `the queue ${name} was deleted; it is created again`);
  }
}

/** False for a queue on a cluster node that is down, which has the same reply code. */
export function isQueueGone(error: unknown): boolean {
  if (error instanceof QueueGoneError) return true;
  return replyCodeOf(error) === NOT_FOUND && (error as Error).message.includes('no queue');
}

/** Whether an error says more than that a channel ended with its connection, which `ServerLink` reports. */
export function addsToConnectionLoss(error: unknown): boolean {
  return error instanceof HistoryError || replyCodeOf(error) !== undefined;
}

/** The server did not reply to a call on a channel, as while a quorum queue has no leader. */
export function noReply(limitMs: number): HistoryError {
  return new HistoryError('BROKER_UNAVAILABLE', `RabbitMQ did not reply on a channel within ${limitMs / 1000} s`);
}

/** The server was unavailable for longer than `giveUpMs`: unlike the error of the last attempt, this one is not retried. */
export class GaveUpError extends HistoryError {
  constructor({ code, message }: HistoryError) {
    super(code, message);
  }

  override get retryable(): boolean {
    return false;
  }
}

export function stopped(): HistoryError {
  return new HistoryError('STOPPED', 'the broker is closed');
}

/** The AMQP 0-9-1 reply code with which the server ended a channel or connection. */
export function replyCodeOf(error: unknown): number | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'number' ? code : undefined;
}

/** The command that grants a user all permissions that the broker needs. */
export function grantCommand({ vhost, username }: ServerOptions): string {
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
