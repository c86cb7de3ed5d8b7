import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Pipelined requests of one connection that wait for the response before theirs; no HTTP client sends more ahead. */
export const MOST_PIPELINED = 16;

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse & { req: IncomingMessage };
}

/** What a connection may still be told when its bytes are not HTTP. */
export type ErrorTurn = 'respond' | 'break off';

/**
 * Lets an app see one request of a connection at a time: node:http starts every pipelined request at once, so that one
 * connection could take any number of them, and the responses that nobody reads. A connection that sends more than
 * `MOST_PIPELINED` requests ahead is closed.
 */
export class RequestOrder {
  private readonly waiting = new WeakMap<Duplex, Exchange[]>();
  private readonly last = new WeakMap<Duplex, Exchange>();

  constructor(
    server: Server,
    private readonly app: RequestListener,
  ) {
    const take: RequestListener = (request, response) => this.take({ request, response });
    // node:http would refuse an unknown expectation out of turn; one may as well be passed over (RFC 9110, 10.1.1).
    server.on('request', take).on('checkExpectation', take);
  }

  /** A response may be written by hand only where the last request that was begun is without one, or was served whole. */
  errorTurn(socket: Duplex): ErrorTurn {
    const last = this.last.get(socket);
    if (!last) return 'respond';
    const { request, response } = last;
    return request.complete === response.writableFinished && (request.complete || !response.headersSent)
      ? 'respond'
      : 'break off';
  }

  /**
   * Calls back when a request that node:http found to be late really is. The time is checked before the event loop reads
   * what has arrived, so that after a long iteration a request can be late only because it was not read. Nothing else
   * limits such a request any more, so what is still to come of it has its own limit.
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
      // node:http goes on parsing what it had read when a connection breaks.
      if (!canRespond(exchange, socket)) return;
      this.waiting.set(socket, []);
      this.begin(exchange);
    } else if (waiting.length < MOST_PIPELINED) waiting.push(exchange);
    else {
      socket.destroy();
      // The parser goes on to the end of what was read, hundreds of requests. To abort one that is not destroyed by then,
      // node:http formats the stack of an error.
      exchange.request.destroy();
    }
  }

  private begin(exchange: Exchange): void {
    const { request, response } = exchange;
    const { socket } = request;
    this.last.set(socket, exchange);
    // node:http drops what follows a request to upgrade within the same read: nothing after it could be trusted.
    // What comes in later reads, before the connection is closed, waits in vain.
    if (request.headers.upgrade !== undefined) response.setHeader('connection', 'close');
    else response.once('close', () => this.beginNext(socket));
    this.app(request, response);
  }

  private beginNext(socket: Duplex): void {
    const next = this.waiting.get(socket)?.shift();
    if (next && canRespond(next, socket)) this.begin(next);
    else this.waiting.delete(socket);
  }
}

/**
 * node:http gives a waiting response its connection when the response before it ends, unless that one ends with the
 * connection or the connection broke. A response without a connection is never closed, so that its request would hold what
 * it took for good.
 */
function canRespond({ response }: Exchange, socket: Duplex): boolean {
  return response.socket === socket && socket.writable;
}

function limitRest(request: IncomingMessage, limitMs: number, onLate: () => void): void {
  const timer = setTimeout(onLate, limitMs);
  request.once('close', () => clearTimeout(timer));
}
