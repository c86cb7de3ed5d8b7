import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Pipelined requests of one connection that wait for an earlier response; HTTP clients in use send no more ahead. */
export const MAX_PIPELINED = 16;

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse & { req: IncomingMessage };
}

/** The action for a connection whose bytes are not HTTP. `end`: what was written to the socket is still sent. */
export type ErrorAction = 'respond' | 'end' | 'destroy';

/**
 * Passes the requests of a connection to an app one at a time. node:http starts every pipelined request at once, so that one
 * connection could occupy the app with any number of requests and of unread responses. A connection that sends more than
 * `MAX_PIPELINED` requests ahead is closed.
 */
export class RequestOrder {
  private readonly waiting = new WeakMap<Duplex, Exchange[]>();
  private readonly last = new WeakMap<Duplex, Exchange>();
  private isEnding = false;

  constructor(
    server: Server,
    private readonly app: RequestListener,
  ) {
    const take: RequestListener = (request, response) => this.take({ request, response });
    // node:http would reject an unknown expectation out of order; a server may ignore it (RFC 9110, 10.1.1).
    server.on('request', take).on('checkExpectation', take);
  }

  /**
   * `respond` only where the bytes are no part of another response and cannot be taken for one: when the last started request is
   * incomplete and without a response, or complete with its whole response, and none waits.
   */
  errorAction(socket: Duplex): ErrorAction {
    const last = this.last.get(socket);
    if (!last) return 'respond';
    const { request, response } = last;
    if (!request.complete) return response.headersSent ? 'destroy' : 'respond';
    if (!isWritten(response, socket)) return 'destroy';
    return this.waiting.get(socket)?.length ? 'end' : 'respond';
  }

  /** The response to the last started request, if its body has not arrived. */
  incompleteOf(socket: Duplex): ServerResponse | undefined {
    const last = this.last.get(socket);
    return last?.request.complete === false ? last.response : undefined;
  }

  /** Ends each of the connections with the response to its last request, unless that response has begun. */
  endAll(sockets: Iterable<Duplex>): void {
    this.isEnding = true;
    for (const socket of sockets) {
      const last = this.lastArrived(socket);
      if (last && !last.headersSent) last.setHeader('connection', 'close');
    }
  }

  private lastArrived(socket: Duplex): ServerResponse | undefined {
    return (this.waiting.get(socket)?.at(-1) ?? this.last.get(socket))?.response;
  }

  /**
   * Calls `onLate` when a request for which node:http reported a timeout is late indeed. node:http checks the time before the
   * event loop reads arrived bytes, so that after a long iteration a request can appear late although its bytes are there.
   * node:http checks such a request only once; the rest of its body therefore gets a timer here.
   */
  ifLate(socket: Duplex, limitMs: number, onLate: () => void): void {
    const before = this.last.get(socket);
    const isWhole = before?.request.complete;
    setImmediate(() => {
      const last = this.last.get(socket);
      if (last === before && last?.request.complete === isWhole) onLate();
      else if (last && !last.request.complete) limitRest(last.request, limitMs, onLate);
    });
  }

  private take(exchange: Exchange): void {
    const { socket } = exchange.request;
    const waiting = this.waiting.get(socket);
    if (!waiting) {
      // node:http continues to parse bytes that it read before a connection broke.
      if (!canRespond(exchange, socket)) return;
      this.waiting.set(socket, []);
      this.start(exchange);
    } else if (waiting.length < MAX_PIPELINED) {
      if (this.isEnding) this.endWith(exchange, this.lastArrived(socket));
      waiting.push(exchange);
    } else {
      socket.destroy();
      // The parser continues to the end of the bytes that were read, hundreds of requests. For each request that is not
      // destroyed, node:http would create an error with a stack.
      exchange.request.destroy();
    }
  }

  /** The connection ends with this request, and no longer with the one before. */
  private endWith({ response }: Exchange, before: ServerResponse | undefined): void {
    if (before && !before.headersSent) before.setHeader('connection', 'keep-alive');
    response.setHeader('connection', 'close');
  }

  private start(exchange: Exchange): void {
    const { request, response } = exchange;
    const { socket } = request;
    this.last.set(socket, exchange);
    // node:http drops the bytes that follow an upgrade request within the same read, so that later requests have lost their
    // order. Requests in later reads stay in the queue until the connection closes.
    if (request.headers.upgrade !== undefined) response.setHeader('connection', 'close');
    else response.once('close', () => this.startNext(socket));
    this.app(request, response);
  }

  private startNext(socket: Duplex): void {
    const next = this.waiting.get(socket)?.shift();
    if (next && canRespond(next, socket)) this.start(next);
    else this.waiting.delete(socket);
  }
}

/**
 * node:http assigns the connection to a waiting response when the previous response ends, unless that response closes the
 * connection or the connection broke. A response without a connection never emits `close`, so that the resources of its
 * request would never be released.
 */
function canRespond({ response }: Exchange, socket: Duplex): boolean {
  return response.socket === socket && socket.writable;
}

/**
 * Whether the socket has a whole response. Node.js 26 sends its last bytes only after it has parsed all bytes that were read, so that
 * the response is not finished then.
 */
function isWritten(response: ServerResponse, socket: Duplex): boolean {
  return response.writableFinished || (response.writableEnded && response.socket === socket);
}

function limitRest(request: IncomingMessage, limitMs: number, onLate: () => void): void {
  const timer = setTimeout(onLate, limitMs);
  request.once('close', () => clearTimeout(timer));
}
