import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { RequestHandler, Response } from 'express';
import { clientErrorOf, HistoryError, type HealthResponse } from '@antelope-history/schemas';
import { clientSignal, type HttpMetrics, rawBodyOf } from '@antelope-history/app-runtime';
import { ticketOf } from './limits/limit-work';
import { chargeCost } from './rate-limit';

/** APIs in the gateway's own process: called directly, without a second HTTP request. */
export interface LocalApis {
  /** By the path of the route. */
  responders: ReadonlyMap<string, LocalResponder>;
  readHealth(): Promise<HealthResponse>;
  /** Handles requests for the stream of actions. */
  stream: RequestHandler;
}

/** The body of a request as the client sent it. */
export interface RequestBody {
  bytes: Buffer;
  contentEncoding: string | undefined;
}

/** Rejects with a `HistoryError`. `signal` aborts when the client disconnects. */
export type LocalResponder = (body: RequestBody, signal: AbortSignal) => Promise<LocalResponse>;

export interface LocalResponse {
  headers: Record<string, string | number>;
  pieces: Buffer[];
  /** In units of the cost limit. */
  cost: number;
}

/** Longer responses are written piece by piece as the client reads, so that the pieces that it has read can be freed. */
const MAX_BYTES_AT_ONCE = 512 * 1024;

interface LocalHandlerOptions {
  path: string;
  respond: LocalResponder;
  /** Counts the requests under the name of the API, as the API's own process does. */
  metrics: HttpMetrics;
}

/**
 * Passes requests that `readRawBody` read and `createWorkLimiter` admitted to an API of this process. Charges the cost and counts
 * the bytes as for a response that comes from an upstream.
 */
export function createLocalHandler({ path, respond, metrics }: LocalHandlerOptions): RequestHandler {
  return async (request, response) => {
    if (response.closed) return;
    const startedAt = performance.now();
    const finish = (status: number): void => metrics.finished(path, status, (performance.now() - startedAt) / 1000);
    metrics.started();
    try {
      const body = { bytes: rawBodyOf(request), contentEncoding: request.headers['content-encoding'] };
      const local = await respond(body, clientSignal(response));
      finish(200);
      await sendLocalResponse(response, local);
    } catch (error) {
      if (error instanceof HistoryError && error.cost !== undefined) chargeCost(response, String(error.cost));
      if (!response.headersSent) finish(error instanceof HistoryError ? clientErrorOf(error).status : 500);
      throw error;
    }
  };
}

async function sendLocalResponse(response: Response, { headers, pieces, cost }: LocalResponse): Promise<void> {
  // The work has been done, also for a client that has left meanwhile.
  chargeCost(response, String(cost));
  if (response.closed) return;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  const ticket = ticketOf(response);
  const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  ticket.beginResponse(bytes);
  if (bytes <= MAX_BYTES_AT_ONCE) {
    // The pieces are joined and written at once: each further write costs as much as copying several hundred KB.
    response.end(pieces.length === 1 ? pieces[0] : Buffer.concat(pieces, bytes));
    return;
  }
  await pipeline(Readable.from(counted(pieces, (count) => ticket.receive(count))), response).catch((error: unknown) => {
    if (!response.destroyed) throw error;
  });
}

function* counted(pieces: Buffer[], count: (bytes: number) => void): Generator<Buffer> {
  for (const piece of pieces) {
    count(piece.length);
    yield piece;
  }
}
