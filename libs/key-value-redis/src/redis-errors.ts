import { ConnectionTimeoutError, ErrorReply, SocketClosedUnexpectedlyError } from 'redis';
import {
  addressOf,
  ConnectionError,
  describeTrouble,
  type ServerName,
  toConnectionError,
} from '@antelope-history/connectivity';
import { HistoryError } from '@antelope-history/schemas';

/** Temporary refusals of a connection, for example while the server loads its data or has too many clients. */
const TEMPORARY_REFUSALS = /^(LOADING|BUSY|MASTERDOWN|ERR max number of clients)/;

/** The name of a URL's server in messages. */
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
 * Converts the error of a connection that failed or ended to `KEY_VALUE_UNAVAILABLE`, or to one of the final errors
 * `ACCESS_REFUSED`, `CERTIFICATE_REFUSED` and `CONFIG_INVALID`. It has no cause: the cause may contain the password.
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
 * Converts an error reply to a handshake. The text of the reply is omitted, because a server that does not know a command
 * repeats its arguments, with the password. The first word of the reply identifies the error.
 */
function toHandshakeError({ message }: ErrorReply, server: ServerName): HistoryError {
  const refusal = `${server.name} at ${server.address} refuses the connection (${firstWord(message)})`;
  if (TEMPORARY_REFUSALS.test(message)) return new HistoryError('KEY_VALUE_UNAVAILABLE', refusal);
  switch (firstWord(message)) {
    case 'NOAUTH':
    case 'WRONGPASS':
      return new ConnectionError(describeTrouble('wrong_password', server), 'ACCESS_REFUSED');
    case 'NOPERM':
      return new HistoryError('ACCESS_REFUSED', `${refusal}: the user lacks a required permission`);
    default:
      return new HistoryError(
        'CONFIG_INVALID',
        `${refusal}: set ${server.keys.url} to a Redis of version 6 or later and to an existing database`,
      );
  }
}

/** Converts the error of any failed command to `KEY_VALUE_UNAVAILABLE`, because every caller continues without the store. */
export function toCommandError(error: unknown): HistoryError {
  if (error instanceof HistoryError) return error;
  const why = error instanceof ErrorReply ? `refuses a command (${firstWord(error.message)})` : 'does not respond';
  return new HistoryError('KEY_VALUE_UNAVAILABLE', `the key-value store ${why}`, { cause: error });
}

function firstWord(message: string): string {
  return /^[A-Z]+/.exec(message)?.[0] ?? 'ERR';
}
