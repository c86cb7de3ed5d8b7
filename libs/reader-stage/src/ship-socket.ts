import { readFileSync } from 'node:fs';
import {
  addressOf,
  ConnectionError,
  describeTrouble,
  toConnectionError,
  type ServerName,
} from '@antelope-history/connections';
import { HistoryError } from '@antelope-history/schemas';
import WebSocket from 'ws';

export interface ShipSocketOptions {
  /** `ws:` or `wss:`; its user and password go with the request (HTTP Basic), for the proxy before a node. */
  url: string;
  /** PEM file of the authority that signed the node's certificate; undefined = the system's own. */
  caFile: string | undefined;
  maxMessageBytes: number;
}

export const CONNECT_LIMIT_MS = 10_000;
const REFUSALS = [401, 403];

/** Opens a socket to a node. `onFailure` is told why it failed, perhaps more than once; 'message' and 'close' are its own events. */
export function openShipSocket(options: ShipSocketOptions, onFailure: (reason: HistoryError) => void): WebSocket {
  const socket = new WebSocket(options.url, {
    perMessageDeflate: false,
    maxPayload: options.maxMessageBytes,
    handshakeTimeout: CONNECT_LIMIT_MS,
    ...(options.caFile !== undefined && { ca: readFileSync(options.caFile) }),
  });
  const server = shipServerName(options.url);
  socket.on('error', (error) => onFailure(toShipError(error, server)));
  socket.on('unexpected-response', (request, response) => {
    request.destroy();
    onFailure(toRefusal(response.statusCode ?? 0, server));
  });
  return socket;
}

/** How messages name a node's socket. */
export function shipServerName(url: string): ServerName {
  return {
    name: 'the state history socket',
    address: addressOf(url),
    keys: { url: 'ship.urls', caFile: 'ship.ca_file', access: 'its user and password in ship.urls' },
  };
}

function toShipError(error: Error & { code?: string }, server: ServerName): HistoryError {
  if (error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH')
    return new HistoryError('SHIP_DISCONNECTED', 'a message is larger than ship.max_message_bytes');
  return toConnectionError(error, server, 'SHIP_DISCONNECTED');
}

/** What answers with HTTP is a proxy before the node, or another port of it. */
function toRefusal(status: number, server: ServerName): HistoryError {
  if (REFUSALS.includes(status))
    return new ConnectionError(describeTrouble('wrong_password', server), 'SHIP_DISCONNECTED');
  const what = `what listens at ${server.address} answers HTTP ${status} and opens no socket`;
  const change = "name the node's state-history-endpoint in ship.urls; a proxy before it must pass websockets";
  return new ConnectionError({ kind: 'other_server', what, change }, 'SHIP_DISCONNECTED');
}
