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
/**
 * A message may come in frames and these in packets; what each part costs besides its bytes is bounded by their number.
 * Beast, the nodes' library, sends frames of 4 KiB or more, a network packets of 1,400 bytes.
 */
const MIN_BYTES_PER_FRAME = 2_048;
const MIN_BYTES_PER_PACKET = 512;
const MIN_PARTS = 16 * 1024;

/** Opens a socket to a node. `onFailure` is told why it failed, perhaps more than once; 'message' and 'close' are its own events. */
export function openShipSocket(options: ShipSocketOptions, onFailure: (reason: HistoryError) => void): WebSocket {
  const socket = new WebSocket(options.url, {
    // Not offered, so no message is larger than what comes over the network.
    perMessageDeflate: false,
    // The session does, within a bound of what the node leaves unread.
    autoPong: false,
    maxPayload: options.maxMessageBytes,
    maxFragments: partsOf(options.maxMessageBytes, MIN_BYTES_PER_FRAME),
    maxBufferedChunks: partsOf(options.maxMessageBytes, MIN_BYTES_PER_PACKET),
    handshakeTimeout: CONNECT_LIMIT_MS,
    ...(options.caFile !== undefined && { ca: readFileSync(options.caFile) }),
  });
  const server = shipServerName(options.url);
  socket.on('error', (error) => onFailure(toShipError(error, server, options.maxMessageBytes)));
  socket.on('unexpected-response', (request, response) => {
    request.destroy();
    onFailure(toRefusal(response.statusCode ?? 0, server));
  });
  return socket;
}

function partsOf(maxBytes: number, minBytesPerPart: number): number {
  return Math.max(MIN_PARTS, Math.ceil(maxBytes / minBytesPerPart));
}

/** How messages name a node's socket. */
export function shipServerName(url: string): ServerName {
  return {
    name: 'the state history socket',
    address: addressOf(url),
    keys: { url: 'ship.urls', caFile: 'ship.ca_file', access: 'its user and password in ship.urls' },
  };
}

function toShipError(error: Error & { code?: string }, server: ServerName, maxBytes: number): HistoryError {
  switch (error.code) {
    case 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH':
    case 'WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH':
      return new HistoryError(
        'SHIP_MESSAGE_TOO_LARGE',
        `a message is larger than ship.max_message_bytes (${maxBytes}): raise it if the node is to be trusted, ` +
          'and give the process the memory that docs/operations.md says',
      );
    case 'WS_ERR_TOO_MANY_BUFFERED_PARTS':
      return new HistoryError('SHIP_MESSAGE_CORRUPT', 'a message comes in too many parts');
    case 'WS_ERR_INVALID_UTF8':
      return new HistoryError('SHIP_UNSUPPORTED', 'the text frame of the socket is not UTF-8');
    default:
      return toConnectionError(error, server, 'SHIP_DISCONNECTED');
  }
}

/** What answers with HTTP is a proxy before the node, or another port of it. */
function toRefusal(status: number, server: ServerName): HistoryError {
  if (REFUSALS.includes(status))
    return new ConnectionError(describeTrouble('wrong_password', server), 'SHIP_DISCONNECTED');
  const what = `what listens at ${server.address} answers HTTP ${status} and opens no socket`;
  const change = "name the node's state-history-endpoint in ship.urls; a proxy before it must pass websockets";
  return new ConnectionError({ kind: 'other_server', what, change }, 'SHIP_DISCONNECTED');
}
