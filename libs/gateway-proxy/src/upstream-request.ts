import { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { rawBodyOf } from '@antelope-history/app-runtime';
import type { Attempt } from './upstream-attempts';

/**
 * The request headers that an upstream gets. All others are dropped: hop-by-hop headers (a client can name any header in
 * `Connection`), headers for other servers, and headers that identify the client.
 */
const FORWARDED_HEADERS = ['content-type', 'content-encoding', 'x-request-id'];
/** A header value is forwarded only if it is short printable ASCII. */
const PLAIN = /^[\x20-\x7e]{1,256}$/;

/**
 * The request that the proxy sends instead of the client's. http-proxy pipes whatever request it is given; this one has the
 * whole body, a content length of its own, and no header of the client's message framing or connection.
 */
export class UpstreamRequest extends IncomingMessage {
  private readonly body: Buffer;

  /** `target`: the path of the route, with the query where the route takes one. */
  constructor(
    request: Request,
    target: string,
    readonly attempt: Attempt,
  ) {
    super(request.socket);
    this.body = rawBodyOf(request);
    this.method = request.method;
    this.url = target;
    this.headers = forwardedHeaders(request, this.body.length);
  }

  /** Writes the whole body at once; nothing is read from the client's connection. */
  override pipe<T extends NodeJS.WritableStream>(destination: T): T {
    if (this.body.length > 0) destination.end(this.body);
    else destination.end();
    return destination;
  }
}

/** The query string with its question mark, without a fragment (which no client should send). */
export function queryOf({ url }: Request): string {
  return /^[^?#]*(\?[^#]*)/.exec(url)?.[1] ?? '';
}

function forwardedHeaders(request: Request, length: number): IncomingMessage['headers'] {
  const headers: IncomingMessage['headers'] = {};
  // A POST without a body carries `Content-Length: 0` (RFC 9110, 8.6).
  if (length > 0 || request.method === 'POST') headers['content-length'] = String(length);
  for (const name of FORWARDED_HEADERS) {
    const value = request.headers[name];
    if (typeof value === 'string' && PLAIN.test(value)) headers[name] = value;
  }
  return headers;
}
