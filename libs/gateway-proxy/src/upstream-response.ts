import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';
import type { Ticket } from './limits/ticket';
import { chargeCost } from './rate-limit';

/** What the request took to respond to: for the rate limit, not for clients. */
const COST_HEADER = 'x-request-cost';
/** Headers of a connection, not of a response (RFC 9110, 7.6.1), and that one; those that `Connection` names come besides. */
const NOT_FOR_CLIENTS = new Set([
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
 * Streams an upstream's response to the client, as fast as the client reads. Breaks it off when the upstream does. Its
 * bytes are counted: a chunk comes only when those before it have left, or fit into buffers.
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
    if (value !== undefined && !NOT_FOR_CLIENTS.has(name) && !named.includes(name)) response.setHeader(name, value);
  }
}

/** Undefined where the end of the chunks or of the connection tells it. */
function bodyLength({ headers }: IncomingMessage, response: Response): number | undefined {
  if (response.req.method === 'HEAD') return 0;
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

function namedIn(connection: string | undefined): string[] {
  return (connection ?? '').split(',').map((name) => name.trim().toLowerCase());
}
