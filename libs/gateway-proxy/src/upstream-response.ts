import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';
import { COST_HEADER } from '@antelope-history/app-runtime';
import type { Ticket } from './limits/ticket';
import { chargeCost } from './rate-limit';

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
 * What a chain node, which may belong to others, says about its body, and about when to try again. The gateway sets all other headers
 * itself.
 */
const NODE_HEADERS = ['content-type', 'content-length', 'content-encoding', 'retry-after'];

/** Whether a response ends its request with a status that HTTP defines (RFC 9110, 15): a node may send any three digits. */
export function isFinalResponse({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 200 && statusCode <= 599;
}

export function isServerError({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 500;
}

/**
 * Streams an API's response to the client with backpressure, and aborts it when the API's connection fails. The ticket counts the
 * bytes that the gateway holds. The response is final (`isFinalResponse`).
 */
export function sendApiResponse(received: IncomingMessage, response: Response, ticket: Ticket): void {
  chargeCost(response, received.headers[COST_HEADER]);
  const named = namedIn(received.headers.connection);
  const headers = Object.entries(received.headers).filter(
    ([name]) => !DROPPED_HEADERS.has(name) && !named.includes(name),
  );
  sendHead(received, headers, response);
  sendBody(received, response, ticket, bodyLength(received, response));
}

/**
 * As `sendApiResponse`, for a chain node. The ticket counts the bytes that arrive, whatever length the node announces: by the
 * length alone a node could reserve all response bytes of the gateway.
 */
export function sendNodeResponse(received: IncomingMessage, response: Response, ticket: Ticket): void {
  chargeCost(response, undefined);
  const headers = NODE_HEADERS.map((name): [string, string | string[] | undefined] => [name, received.headers[name]]);
  sendHead(received, headers, response);
  sendBody(received, response, ticket, undefined);
}

function sendHead(
  { statusCode = 502 }: IncomingMessage,
  headers: readonly [string, string | string[] | undefined][],
  response: Response,
): void {
  response.status(statusCode);
  for (const [name, value] of headers) if (value !== undefined) response.setHeader(name, value);
}

/** `length`: undefined for a body whose length is not known or not trusted. */
function sendBody(received: IncomingMessage, response: Response, ticket: Ticket, length: number | undefined): void {
  ticket.beginResponse(length);
  received.on('data', (chunk: Buffer) => ticket.receive(chunk.length));
  if (length === undefined) {
    received.once('pause', () => ticket.endWork());
    received.once('end', () => ticket.endWork());
  }
  received.once('error', () => response.destroy());
  response.once('close', () => received.destroy());
  received.pipe(response);
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
