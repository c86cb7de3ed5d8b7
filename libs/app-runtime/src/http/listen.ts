import { createServer, maxHeaderSize, type RequestListener, type Server, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { localAddressOf } from '@antelope-history/connectivity';
import { clientErrorOf, HistoryError } from '@antelope-history/schemas/errors';
import { countAccepted } from './accepted-connections';
import { BoundedRequest } from './bounded-request';
import { addressOf } from './client-address';
import { toErrorResponse } from './error-body';
import { setRefusal } from './body-refusal';
import type { HttpApp, ObserveRefusal } from './http-app';
import { listenError } from './listen-error';
import { RequestOrder } from './request-order';
import { announceStop } from './stop-signal';
import { handleUpgrades } from './web-socket-upgrade';
import { stallDetector } from './write-deadline';

export interface Listener {
  /** `http://127.0.0.1:8891`, for clients on the same machine. */
  url: string;
  port: number;
  /** Accepts no more requests; resolves when the requests in progress have their responses. */
  close(): Promise<void>;
}

/** Ends connections that send their request slowly, byte by byte; a request is at most 64 KiB by default. */
const HEADERS_LIMIT_MS = 10_000;
const REQUEST_LIMIT_MS = 30_000;
const LIMITS_CHECKED_EVERY_MS = 5_000;
/** Longer than proxies keep idle connections, so that a proxy never sends a request on a connection that closes. */
const KEEP_ALIVE_MS = 75_000;
const IDLE_SWEEP_MS = 50;
/** Connections that the kernel queues before they are accepted: those of about one second, see `acceptedConnections`. */
const BACKLOG = 1024;
/** On close, a connection that stalls this long is ended, and at `CLOSE_LIMIT_MS` every connection: below `STOP_LIMIT_MS`. */
const STALL_AT_STOP_SECONDS = 1;
const CLOSE_LIMIT_MS = 5_000;

/** How long a client may leave a connection open after the server has ended it. */
const LINGER_MS = 1_000;

/** The error code of a CONNECT request, beside those of node:http. */
const CONNECT = 'CONNECT';

export interface ListenOptions {
  host: string;
  /** 0 = any free port. */
  port: number;
  /** The limits of a server that untrusted clients reach directly: `limitConnections`. */
  limit?: (server: Server) => void;
}

/** Serves an app. Rejects with `CONFIG_INVALID` and the reason when it cannot listen on the address. */
export function listen(app: RequestListener | HttpApp, options: ListenOptions): Promise<Listener> {
  const server = createServer({
    headersTimeout: HEADERS_LIMIT_MS,
    requestTimeout: REQUEST_LIMIT_MS,
    connectionsCheckingInterval: LIMITS_CHECKED_EVERY_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // node:http would send its own 400 between the responses to pipelined requests; the app rejects such a request in order.
    requireHostHeader: false,
    ...('messages' in app ? app.messages : { IncomingMessage: BoundedRequest }),
  });
  // By default, node:http leaves out the headers after the 2,000th: a client could hide that of the proxy which names its address. The
  // size of all headers is limited (`maxHeaderSize`).
  server.maxHeadersCount = 0;
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  countAccepted(server);
  const announce = announceStop(server);
  handleUpgrades(server);
  const order = new RequestOrder(server, app);
  respondToClientErrors(server, order, 'messages' in app ? app.observeRefusal : undefined);
  options.limit?.(server);
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => reject(listenError(options, cause)));
    server.listen({ port: options.port, host: options.host, backlog: BACKLOG }, () =>
      resolve(createListener(server, sockets, order, announce)),
    );
  });
}

function createListener(
  server: Server,
  sockets: ReadonlySet<Socket>,
  order: RequestOrder,
  announce: () => void,
): Listener {
  const { address, port } = server.address() as AddressInfo;
  return {
    url: `http://${localAddressOf(address, port)}`,
    port,
    close: () => {
      announce();
      return closeServer(server, sockets, order);
    },
  };
}

function closeServer(server: Server, sockets: ReadonlySet<Socket>, order: RequestOrder): Promise<void> {
  // A keep-alive connection would hold the server open after its last response, and a client that is not told that the connection ends
  // would send its next request on it.
  order.endAll(sockets);
  server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'));
  const isStalled = stallDetector(STALL_AT_STOP_SECONDS);
  const sweep = setInterval(() => {
    server.closeIdleConnections();
    // For node:http, a connection that has sent nothing is not idle before its headers timeout.
    for (const socket of sockets) if (socket.bytesRead === 0 || isStalled(socket)) socket.destroy();
  }, IDLE_SWEEP_MS);
  const limit = setTimeout(() => {
    for (const socket of sockets) socket.destroy();
  }, CLOSE_LIMIT_MS);
  return new Promise((resolve) => {
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(limit);
      resolve();
    });
  });
}

/** node:http passes bytes that are not HTTP to no request handler, so that the response is written to the socket. */
function respondToClientErrors(server: Server, order: RequestOrder, observe: ObserveRefusal | undefined): void {
  const refuse = (error: NodeJS.ErrnoException, socket: Duplex): void => {
    const action = socket.writable && error.code !== 'ECONNRESET' ? order.errorAction(socket) : 'destroy';
    if (action !== 'respond') {
      if (action === 'end') endConnection(socket);
      else socket.destroy();
      return;
    }
    const refusal = toHistoryError(error);
    const { status } = clientErrorOf(refusal);
    const incomplete = order.incompleteOf(socket);
    const { remoteAddress } = socket as Duplex & { remoteAddress?: string };
    // The app has a request of which only the body failed, and observes it: without a status when the client left in the middle of it.
    if (!incomplete) observe?.(addressOf(remoteAddress), status);
    else if (error.code !== 'HPE_INVALID_EOF_STATE') setRefusal(incomplete, status);
    endConnection(socket, formatResponse(refusal));
  };
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') order.ifLate(socket, REQUEST_LIMIT_MS, () => refuse(error, socket));
    else refuse(error, socket);
  });
  // Without a listener, node:http closes the connection without a response. For one, it has removed its own listener of errors and
  // no longer limits the connection.
  server.on('connect', (_request, socket: Socket) => {
    socket.on('error', () => socket.destroy());
    refuse(Object.assign(new Error('CONNECT'), { code: CONNECT }), socket);
    socket.destroySoon();
  });
}

/**
 * Sends what is written and `last`, then leaves the client time to read it: with bytes that were not read, a close at once could reset
 * the connection. node:http sets no limit to a connection whose bytes are no HTTP.
 */
function endConnection(socket: Duplex, last = ''): void {
  socket.end(last, () => {
    const limit = setTimeout(() => socket.destroy(), LINGER_MS).unref();
    socket.once('close', () => clearTimeout(limit));
  });
}

function toHistoryError(error: NodeJS.ErrnoException): HistoryError {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new HistoryError('HEADERS_TOO_LARGE', `send at most ${maxHeaderSize} bytes of headers`);
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new HistoryError('REQUEST_TIMEOUT', `send the whole request within ${REQUEST_LIMIT_MS / 1000} seconds`);
    case CONNECT:
      return new HistoryError('INVALID_REQUEST', 'send a request with a path: this server is no proxy for CONNECT');
    default:
      return new HistoryError('INVALID_REQUEST', 'send an HTTP/1.1 request');
  }
}

function formatResponse(error: HistoryError): string {
  const body = JSON.stringify(toErrorResponse(error, ''));
  const { status } = clientErrorOf(error);
  return (
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\n` +
    'content-type: application/json; charset=utf-8\r\nx-content-type-options: nosniff\r\n' +
    `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}
