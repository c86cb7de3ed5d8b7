import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { COST_HEADER } from '@antelope-history/app-runtime';
import type { ApiResponse } from './responders';

/** Sends a JSON body piece by piece at the client's speed. Resolves when it is sent or the client has disconnected. */
export async function sendResponse(response: Response, { headers, pieces, cost }: ApiResponse): Promise<void> {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader(COST_HEADER, cost);
  if (pieces.length === 1) {
    response.end(pieces[0]);
    return;
  }
  await pipeline(Readable.from(pieces), response).catch((error: unknown) => {
    if (!response.destroyed) throw error;
  });
}
