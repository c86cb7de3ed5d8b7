import type { RequestHandler } from 'express';
import { REPORT_COST_HEADER } from '@antelope-history/app-runtime';
import { HistoryError } from '@antelope-history/schemas';
import { clientOf } from '../client';
import { chargeStream } from '../rate-limit';

/** Refuses a client's streams beyond a number that may be open at once, and charges the others. */
export function createStreamLimiter(maxPerClient: number): RequestHandler {
  const open = new Map<string, number>();
  return (request, response, next) => {
    // The client left while its limits were looked up. The `close` event has passed, so nothing would subtract this stream again.
    if (response.closed) return;
    const { id, tellsCost } = clientOf(response);
    if (!tellsCost) request.headers[REPORT_COST_HEADER] = undefined;
    const count = open.get(id) ?? 0;
    if (count >= maxPerClient) {
      throw new HistoryError(
        'RATE_LIMITED',
        `${count} streams of this client are open: close one before you open another`,
      );
    }
    open.set(id, count + 1);
    chargeStream(response);
    response.once('close', () => {
      const left = (open.get(id) ?? 1) - 1;
      if (left === 0) open.delete(id);
      else open.set(id, left);
    });
    next();
  };
}
