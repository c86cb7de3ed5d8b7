import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves after `ms` milliseconds, or as soon as `signal` (if any) is aborted. Never rejects: ask `signal.aborted` afterwards. */
export async function abortableSleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(ms, undefined, { ...(signal && { signal }) }).catch(() => undefined);
}
