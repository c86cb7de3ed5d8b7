import { abortableSleep, Backoff } from '@antelope-history/connectivity';
import { hasErrorCode, type ErrorCode, HistoryError } from '@antelope-history/schemas';
import type { Logger } from './logger';

/** Milliseconds between attempts to open what a server that is unavailable, or still starting, has to provide. */
const [RETRY_MIN_MS, RETRY_MAX_MS] = [200, 15_000];

/** A listener that logs each failed attempt to reach a server as a warning. `server` is its name, such as `the broker`. */
export function logConnectionErrors(log: Logger, server: string): (error: HistoryError) => void {
  return (error) => log.warn({ code: error.code, error }, `${server}: ${error.message}`);
}

/**
 * Calls `open` until it does not reject with `unavailable`, with growing pauses. Each such rejection goes to `onError`; any
 * other one rejects the result. Rejects with `STOPPED` when `interruption` aborts while it waits.
 */
export async function openWhenAvailable<T>(
  open: () => Promise<T>,
  unavailable: ErrorCode,
  onError: (error: HistoryError) => void,
  interruption?: AbortSignal,
): Promise<T> {
  const backoff = new Backoff(RETRY_MIN_MS, RETRY_MAX_MS);
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (!hasErrorCode(error, unavailable)) throw error;
      onError(error);
      await abortableSleep(backoff.next(), interruption);
      if (interruption?.aborted) throw new HistoryError('STOPPED', 'interrupted while the server was unavailable');
    }
  }
}
