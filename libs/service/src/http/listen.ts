import {
  createServer,
  maxHeaderSize,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { HistoryError } from '@antelope-history/schemas';
import { toErrorAnswer } from './error-response';

export interface Listener {
  /** `http://127.0.0.1:8891`, for those on the same machine. */
  url: string;
  port: number;
  /** Takes no more requests and resolves when those in flight are answered. */
  close(): Promise<void>;
}

/** A client that trickles its request is cut off; clients of ours send at most 64 KiB. */
const HEADERS_LIMIT_MS = 10_000;
const REQUEST_LIMIT_MS = 30_000;
const LIMITS_CHECKED_EVERY_MS = 5_000;
/** Longer than a proxy in front keeps its idle connections, so that it never sends into a closing one. */
const KEEP_ALIVE_MS = 75_000;
const IDLE_SWEEP_MS = 50;

/** Serves an app. Port 0 takes any free one. Rejects with `CONFIG_INVALID` when the address can't be had. */
export function listen(app: RequestListener, address: { host: string; port: number }): Promise<Listener> {
  const server = createServer(
    {
      headersTimeout: HEADERS_LIMIT_MS,
      requestTimeout: REQUEST_LIMIT_MS,
      connectionsCheckingInterval: LIMITS_CHECKED_EVERY_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    app,
  );
  answerClientErrors(server);
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      reject(new HistoryError('CONFIG_INVALID', `can not listen on ${address.host}:${address.port}`, { cause }));
    });
    server.listen(address.port, address.host, () => resolve(createListener(server)));
  });
}

function createListener(server: Server): Listener {
  const { address, family, port } = server.address() as AddressInfo;
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address] ?? address;
  return {
    url: `http://${family === 'IPv6' ? `[${host}]` : host}:${port}`,
    port,
    close: () => closeServer(server),
  };
}

function closeServer(server: Server): Promise<void> {
  // A connection that keeps alive would hold the server open after its last answer.
  server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'));
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
  return new Promise((resolve) => {
    server.close(() => {
      clearInterval(sweep);
      resolve();
    });
  });
}

/** Requests that are not HTTP never reach an app: the answer is written by hand. */
function answerClientErrors(server: Server): void {
  const lastResponses = new WeakMap<Duplex, ServerResponse>();
  server.prependListener('request', (request, response) => lastResponses.set(request.socket, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const response = lastResponses.get(socket);
    const midAnswer = response?.headersSent && !response.writableFinished;
    if (socket.writable && !midAnswer && error.code !== 'ECONNRESET') socket.end(formatAnswer(toHistoryError(error)));
    else socket.destroy();
  });
}

function toHistoryError(error: NodeJS.ErrnoException): HistoryError {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new HistoryError('HEADERS_TOO_LARGE', `send at most ${maxHeaderSize} bytes of headers`);
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new HistoryError('REQUEST_TIMEOUT', `send the whole request within ${REQUEST_LIMIT_MS / 1000} seconds`);
    default:
      return new HistoryError('INVALID_REQUEST', 'send an HTTP/1.1 request');
  }
}

function formatAnswer(error: HistoryError): string {
  const body = JSON.stringify(toErrorAnswer(error, ''));
  const { status } = error.definition;
  return (
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\n` +
    `content-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}
