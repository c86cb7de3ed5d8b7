import { readFileSync } from 'node:fs';
import {
  addressOf,
  ConnectionError,
  describeTrouble,
  toConnectionError,
  type ServerName,
} from '@antelope-history/connectivity';
import { HistoryError } from '@antelope-history/schemas';
import WebSocket from 'ws';

export interface ShipSocketOptions {
  /** `ws:` or `wss:`. Its user and password are sent as HTTP Basic authentication, for a proxy in front of the node. */
  url: string;
  /** PEM file of the authority that signed the node's certificate; undefined = the system's trusted authorities. */
  caFile: string | undefined;
  maxMessageBytes: number;
}

export const CONNECT_LIMIT_MS = 10_000;
const REFUSALS = [401, 403];
/**
 * A message consists of frames, and a frame arrives in packets. Each part costs memory besides its bytes, so their number is
 * limited. Beast, the websocket library of nodeos, sends frames of 4 KiB or more; networks deliver packets of 1,400 bytes.
 */
const MIN_BYTES_PER_FRAME = 2_048;
const MIN_BYTES_PER_PACKET = 512;
const MIN_PARTS = 16 * 1024;

/**
 * Opens a socket to a node. `onFailure` receives the reason of a failure, possibly several times; the caller handles the
 * socket's 'message' and 'close' events.
 */
export function openShipSocket(options: ShipSocketOptions, onFailure: (reason: HistoryError) => void): WebSocket {
  const socket = new WebSocket(options.url, {
    // Without compression no message is larger than the bytes that arrive over the network.
    perMessageDeflate: false,
    // The session sends pongs itself, within its limit of unread bytes.
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

/** How messages name the state history socket of a node. */
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
        `a message is larger than ship.max_message_bytes (${maxBytes}): raise it if you trust the node, ` +
          'and give the process the memory that docs/sizing.md states',
      );
    case 'WS_ERR_TOO_MANY_BUFFERED_PARTS':
      return new HistoryError('SHIP_MESSAGE_CORRUPT', 'a message arrives in too many parts');
    case 'WS_ERR_INVALID_UTF8':
      return new HistoryError('SHIP_UNSUPPORTED', 'the text frame of the socket is not UTF-8');
    default:
      return toConnectionError(error, server, 'SHIP_DISCONNECTED');
  }
}

/** The error for an HTTP response instead of a websocket: from a proxy in front of the node, or from another port of it. */
function toRefusal(status: number, server: ServerName): HistoryError {
  if (REFUSALS.includes(status))
    return new ConnectionError(describeTrouble('wrong_password', server), 'SHIP_DISCONNECTED');
  const what = `the server at ${server.address} responds with HTTP ${status} and opens no websocket`;
  const change = "set ship.urls to the node's state-history-endpoint; a proxy in front of it must forward websockets";
  return new ConnectionError({ kind: 'other_server', what, change }, 'SHIP_DISCONNECTED');
}
