import { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { rawBodyOf } from '@antelope-history/service';

/**
 * What an upstream needs to know of a request. Everything else stays behind: headers of the connection (a client can name
 * any header in `Connection`), of other servers, and what tells who the client is.
 */
const FORWARDED_HEADERS = ['content-type', 'content-encoding', 'x-request-id'];
/** A client's header is forwarded when it is plain and short. */
const PLAIN = /^[\x20-\x7e]{1,256}$/;

/**
 * The request that a proxy sends in place of the client's. http-proxy pipes whatever request it is given: this one has the
 * whole body, its length, and no header that frames a message or speaks of the connection.
 */
export class UpstreamRequest extends IncomingMessage {
  private readonly body: Buffer;

  /** `target`: the path that the route knows, and the query where the route takes one. */
  constructor(request: Request, target: string) {
    super(request.socket);
    this.body = rawBodyOf(request);
    this.method = request.method;
    this.url = target;
    this.headers = forwardedHeaders(request, this.body.length);
  }

  /** Tells the proxy that the client left: it ends the request to the upstream. */
  abandon(): void {
    this.emit('aborted');
  }

  /** Sends the body at once: nothing more is read from the client's connection. */
  override pipe<T extends NodeJS.WritableStream>(destination: T): T {
    if (this.body.length > 0) destination.end(this.body);
    else destination.end();
    return destination;
  }
}

function forwardedHeaders(request: Request, length: number): IncomingMessage['headers'] {
  const headers: IncomingMessage['headers'] = {};
  // A request without a body has a length where its method is one that usually has a body.
  if (length > 0 || request.method === 'POST') headers['content-length'] = String(length);
  for (const name of FORWARDED_HEADERS) {
    const value = request.headers[name];
    if (typeof value === 'string' && PLAIN.test(value)) headers[name] = value;
  }
  return headers;
}
