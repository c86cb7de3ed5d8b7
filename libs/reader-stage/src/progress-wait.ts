import { setTimeout as sleep } from 'node:timers/promises';
import { readProgress, type KeyValue, type SharedProgress } from '@antelope-history/key-value';
import type { Logger } from '@antelope-history/service';

const POLL_MIN_MS = 50;
const POLL_MAX_MS = 1_000;
/** An indexer that runs tells where the store stands every second. */
const PATIENCE_MS = 5_000;

/**
 * Waits until an indexer has told where the store stands; undefined when stopped before. Says in the log what it waits for,
 * once it takes long.
 */
export async function waitForProgress(
  keyValue: KeyValue,
  log: Logger,
  stopping: AbortSignal,
): Promise<SharedProgress | undefined> {
  let told = false;
  const start = Date.now();
  for (let waitMs = POLL_MIN_MS; !stopping.aborted; waitMs = Math.min(POLL_MAX_MS, waitMs * 2)) {
    let error: unknown;
    try {
      const progress = await readProgress(keyValue);
      if (progress) return progress;
    } catch (caught) {
      error = caught;
    }
    if (!told && Date.now() - start >= PATIENCE_MS) {
      told = true;
      if (error === undefined) log.warn('no indexer has told where the store stands: waiting for one to run');
      else log.warn({ error }, 'where the store stands can not be read from the key-value store: waiting for it');
    }
    await sleep(waitMs, undefined, { signal: stopping }).catch(() => undefined);
  }
  return undefined;
}
