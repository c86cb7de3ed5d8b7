import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { HistoryError } from '@antelope-history/schemas';

const CONTENT_TYPE = 'application/json; charset=utf-8';
/** The gateway counts this header against the client's limit and removes it. */
const COST_HEADER = 'x-request-cost';

/** Sends a JSON body piece by piece at the client's speed. Resolves when it is sent or the client has disconnected. */
export async function sendPieces(response: Response, pieces: Buffer[], cost: number): Promise<void> {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  response.setHeader('content-type', CONTENT_TYPE);
  response.setHeader('content-length', length);
  response.setHeader(COST_HEADER, cost);
  if (pieces.length === 1) {
    response.end(pieces[0]);
    return;
  }
  await pipeline(Readable.from(pieces), response).catch((error: unknown) => {
    if (!response.destroyed) throw error;
  });
}

/** A signal that aborts if the client disconnects before its response is sent. */
export function clientSignal(response: Response): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished)
      controller.abort(new HistoryError('CLIENT_LEFT', 'the client closed the connection'));
  });
  return controller.signal;
}
