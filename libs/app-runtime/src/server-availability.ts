import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '@antelope-history/connectivity';
import { hasErrorCode, type ErrorCode, type HistoryError } from '@antelope-history/schemas';
import type { Logger } from './logger';

/** Milliseconds between attempts to open what a server that is unavailable, or still starting, has to provide. */
const [RETRY_MIN_MS, RETRY_MAX_MS] = [200, 15_000];

/** A listener that logs each failed attempt to reach a server as a warning. `server` is its name, such as `the broker`. */
export function logConnectionErrors(log: Logger, server: string): (error: HistoryError) => void {
  return (error) => log.warn({ code: error.code, error }, `${server}: ${error.message}`);
}

/**
 * Calls `open` until it does not reject with `unavailable`, with growing pauses. Each such rejection goes to `onError`; any
 * other one rejects the result.
 */
export async function openWhenAvailable<T>(
  open: () => Promise<T>,
  unavailable: ErrorCode,
  onError: (error: HistoryError) => void,
): Promise<T> {
  const backoff = new Backoff(RETRY_MIN_MS, RETRY_MAX_MS);
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (!hasErrorCode(error, unavailable)) throw error;
      onError(error);
      await sleep(backoff.next());
    }
  }
}
