import type { Response } from 'express';
import { HistoryError } from '@antelope-history/schemas';

/** A signal that aborts if the client disconnects before its response is sent. */
export function clientSignal(response: Response): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished)
      controller.abort(new HistoryError('CLIENT_LEFT', 'the client closed the connection'));
  });
  return controller.signal;
}
