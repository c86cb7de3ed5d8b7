import { abortableSleep, Backoff } from '@antelope-history/connectivity';
import { readProgress, type KeyValue, type SharedProgress } from '@antelope-history/key-value';
import type { Logger } from '@antelope-history/app-runtime';

const POLL_MIN_MS = 50;
const POLL_MAX_MS = 1_000;
/** A running indexer publishes its progress every second. */
const WARN_AFTER_MS = 5_000;

/**
 * Waits until an indexer has published the store's progress; undefined when `stopping` is aborted first. Logs one warning when
 * it takes more than five seconds.
 */
export async function waitForProgress(
  keyValue: KeyValue,
  log: Logger,
  stopping: AbortSignal,
): Promise<SharedProgress | undefined> {
  let warned = false;
  const start = performance.now();
  const backoff = new Backoff(POLL_MIN_MS, POLL_MAX_MS);
  while (!stopping.aborted) {
    let error: unknown;
    try {
      const progress = await readProgress(keyValue);
      if (progress) return progress;
    } catch (caught) {
      error = caught;
    }
    if (!warned && performance.now() - start >= WARN_AFTER_MS) {
      warned = true;
      if (error === undefined) log.warn('no indexer has published its progress: waiting for a running indexer');
      else log.warn({ error }, 'the progress cannot be read from the key-value store: waiting for it');
    }
    await abortableSleep(backoff.next(), stopping);
  }
  return undefined;
}
