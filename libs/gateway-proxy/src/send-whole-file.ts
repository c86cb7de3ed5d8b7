import type { Request, Response } from 'express';

/**
 * Sends a file of the service, or 304. Ranges, `If-Match` and `If-Unmodified-Since` are ignored: Express would throw errors with the
 * status 416 or 412 for them, which are none of this service. `fail` receives what else goes wrong before the response has begun.
 */
export function sendWholeFile(file: string, request: Request, response: Response, fail: (error: Error) => void): void {
  delete request.headers['if-match'];
  delete request.headers['if-unmodified-since'];
  response.sendFile(file, { acceptRanges: false }, (error?: Error) => {
    if (error && !response.headersSent) fail(error);
  });
}
