import { setTimeout as sleep } from 'node:timers/promises';

/** Waits, or less when `signal` is raised. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return sleep(ms, undefined, { signal }).catch(() => undefined);
}
