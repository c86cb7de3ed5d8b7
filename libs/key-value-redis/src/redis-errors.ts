import { ConnectionTimeoutError, ErrorReply, SocketClosedUnexpectedlyError } from 'redis';
import {
  addressOf,
  ConnectionError,
  describeTrouble,
  type ServerName,
  toConnectionError,
} from '@antelope-history/connectivity';
import { HistoryError } from '@antelope-history/schemas';

/** Refusals of a connection that end by themselves: the server loads its data, or is full of clients. */
const PASSING_REFUSALS = /^(LOADING|BUSY|MASTERDOWN|ERR max number of clients)/;

/** How messages name the server of a URL. */
export function nameServer(url: string): ServerName {
  return {
    name: 'Redis',
    address: addressOf(url),
    keys: {
      url: 'key_value.redis.url',
      caFile: 'key_value.redis.ca_file',
      access: 'key_value.redis.username and key_value.redis.password',
    },
  };
}

/**
 * Why a connection could not be made, or ended: `KEY_VALUE_UNAVAILABLE`, or one of the final `ACCESS_REFUSED`,
 * `CERTIFICATE_REFUSED` and `CONFIG_INVALID`. The cause is left out: it may hold the password.
 */
export function toConnectError(error: unknown, server: ServerName): HistoryError {
  if (error instanceof ErrorReply) return toHandshakeError(error, server);
  if (error instanceof ConnectionTimeoutError) {
    return new ConnectionError(describeTrouble('no_answer', server), 'KEY_VALUE_UNAVAILABLE');
  }
  if (error instanceof SocketClosedUnexpectedlyError) {
    return new ConnectionError(describeTrouble('cut_off', server), 'KEY_VALUE_UNAVAILABLE');
  }
  return toConnectionError(error, server, 'KEY_VALUE_UNAVAILABLE');
}

/**
 * The reply's own text is left out: a server that does not know a command repeats what it was sent, password and all.
 * Its first word says what is wrong.
 */
function toHandshakeError({ message }: ErrorReply, server: ServerName): HistoryError {
  const refusal = `${server.name} at ${server.address} refuses the connection (${firstWord(message)})`;
  if (PASSING_REFUSALS.test(message)) return new HistoryError('KEY_VALUE_UNAVAILABLE', refusal);
  switch (firstWord(message)) {
    case 'NOAUTH':
    case 'WRONGPASS':
      return new ConnectionError(describeTrouble('wrong_password', server), 'ACCESS_REFUSED');
    case 'NOPERM':
      return new HistoryError('ACCESS_REFUSED', `${refusal}: this user may not do what is needed`);
    default:
      return new HistoryError(
        'CONFIG_INVALID',
        `${refusal}: name a Redis of version 6 or later in ${server.keys.url}, and a database that it has`,
      );
  }
}

/** A command that failed: `KEY_VALUE_UNAVAILABLE` whatever the reason, as every caller goes on without. */
export function toCommandError(error: unknown): HistoryError {
  if (error instanceof HistoryError) return error;
  const why = error instanceof ErrorReply ? `refuses a command (${firstWord(error.message)})` : 'does not answer';
  return new HistoryError('KEY_VALUE_UNAVAILABLE', `the key-value store ${why}`, { cause: error });
}

function firstWord(message: string): string {
  return /^[A-Z]+/.exec(message)?.[0] ?? 'ERR';
}
