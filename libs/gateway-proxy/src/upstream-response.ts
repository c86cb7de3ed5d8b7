import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';
import type { Ticket } from './limits/ticket';
import { chargeCost, COST_HEADER } from './rate-limit';

/** Hop-by-hop headers (RFC 9110, 7.6.1) and the cost header; headers named in `Connection` are dropped, too. */
const DROPPED_HEADERS = new Set([
  COST_HEADER,
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Streams an upstream's response to the client with backpressure, and aborts it when the upstream's connection fails.
 * The ticket counts the bytes that the gateway holds.
 */
export function sendUpstreamResponse(upstreamResponse: IncomingMessage, response: Response, ticket: Ticket): void {
  chargeCost(response, upstreamResponse.headers[COST_HEADER]);
  sendHead(upstreamResponse, response);
  const length = bodyLength(upstreamResponse, response);
  ticket.beginResponse(length);
  upstreamResponse.on('data', (chunk: Buffer) => ticket.receive(chunk.length));
  if (length === undefined) {
    upstreamResponse.once('pause', () => ticket.endWork());
    upstreamResponse.once('end', () => ticket.endWork());
  }
  upstreamResponse.once('error', () => response.destroy());
  response.once('close', () => upstreamResponse.destroy());
  upstreamResponse.pipe(response);
}

function sendHead({ statusCode = 502, headers }: IncomingMessage, response: Response): void {
  const named = namedIn(headers.connection);
  response.status(statusCode);
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !DROPPED_HEADERS.has(name) && !named.includes(name)) response.setHeader(name, value);
  }
}

/** The content length; undefined for a chunked body or one that ends with the connection. */
function bodyLength({ headers }: IncomingMessage, response: Response): number | undefined {
  if (response.req.method === 'HEAD') return 0;
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

function namedIn(connection: string | undefined): string[] {
  return (connection ?? '').split(',').map((name) => name.trim().toLowerCase());
}
