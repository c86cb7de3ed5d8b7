import { createServer, maxHeaderSize, type RequestListener, type Server, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { HistoryError } from '@antelope-history/schemas';
import { Registry } from '../metrics';
import { countAccepted } from './accepted-connections';
import { type ConnectionLimits, limitConnections } from './connection-limits';
import { toErrorAnswer } from './error-response';
import { RequestOrder } from './request-order';
import { stallDetector } from './write-deadline';

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
/** Connections that the system holds until they are accepted: a second's worth, see `acceptedConnections`. */
const BACKLOG = 1024;
/** At a stop, a client that reads nothing for so long is cut off, and at the limit everybody: see `STOP_LIMIT_MS`. */
const STALL_AT_STOP_SECONDS = 1;
const CLOSE_LIMIT_MS = 5_000;

export interface ListenOptions extends Partial<ConnectionLimits> {
  host: string;
  /** 0 takes any free one. */
  port: number;
  /** Counts connections where they are limited. */
  registry?: Registry;
}

/**
 * Serves an app; where strangers reach it, with limits of connections. Rejects with `CONFIG_INVALID` when the address
 * can't be had.
 */
export function listen(app: RequestListener, options: ListenOptions): Promise<Listener> {
  const server = createServer({
    headersTimeout: HEADERS_LIMIT_MS,
    requestTimeout: REQUEST_LIMIT_MS,
    connectionsCheckingInterval: LIMITS_CHECKED_EVERY_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // node:http would put its own response between those of pipelined requests: the app refuses such requests in their turn.
    requireHostHeader: false,
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  countAccepted(server);
  answerClientErrors(server, new RequestOrder(server, app));
  if (hasLimits(options)) limitConnections(server, options, options.registry ?? new Registry());
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      reject(new HistoryError('CONFIG_INVALID', `can not listen on ${options.host}:${options.port}`, { cause }));
    });
    server.listen({ port: options.port, host: options.host, backlog: BACKLOG }, () =>
      resolve(createListener(server, sockets)),
    );
  });
}

function hasLimits(options: ListenOptions): options is ListenOptions & ConnectionLimits {
  return options.maxConnections !== undefined;
}

function createListener(server: Server, sockets: ReadonlySet<Socket>): Listener {
  const { address, family, port } = server.address() as AddressInfo;
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address] ?? address;
  return {
    url: `http://${family === 'IPv6' ? `[${host}]` : host}:${port}`,
    port,
    close: () => closeServer(server, sockets),
  };
}

function closeServer(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  // A connection that keeps alive would hold the server open after its last answer.
  server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'));
  const isStalled = stallDetector(STALL_AT_STOP_SECONDS);
  const sweep = setInterval(() => {
    server.closeIdleConnections();
    // To node:http a connection that never sent anything is not idle, until its time for headers is over.
    for (const socket of sockets) if (socket.bytesRead === 0 || isStalled(socket)) socket.destroy();
  }, IDLE_SWEEP_MS);
  const limit = setTimeout(() => server.closeAllConnections(), CLOSE_LIMIT_MS);
  return new Promise((resolve) => {
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(limit);
      resolve();
    });
  });
}

/** Requests that are not HTTP never reach an app: the response is written by hand. */
function answerClientErrors(server: Server, order: RequestOrder): void {
  const refuse = (error: NodeJS.ErrnoException, socket: Duplex): void => {
    const mayRespond = socket.writable && error.code !== 'ECONNRESET' && order.errorTurn(socket) === 'respond';
    if (mayRespond) socket.end(formatAnswer(toHistoryError(error)));
    else socket.destroy();
  };
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') order.ifLate(socket, REQUEST_LIMIT_MS, () => refuse(error, socket));
    else refuse(error, socket);
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
    'content-type: application/json; charset=utf-8\r\nx-content-type-options: nosniff\r\n' +
    `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}
