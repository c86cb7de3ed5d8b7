import type { Response } from 'express';
import { HistoryError } from '@antelope-history/schemas';

/** A signal that aborts if the client disconnects before its response is sent, or has done so already. */
export function clientSignal(response: Response): AbortSignal {
  const controller = new AbortController();
  const close = (): void => {
    if (!response.writableFinished)
      controller.abort(new HistoryError('CLIENT_LEFT', 'the client closed the connection'));
  };
  // A handler before may have waited while the client left: the event is over then.
  if (response.closed) close();
  else response.once('close', close);
  return controller.signal;
}
