import { setTimeout as sleep } from 'node:timers/promises';

/** Growing waits between tries: doubled each time, from `minMs` to `maxMs`, half of each by chance. */
export class Backoff {
  private tries = 0;

  constructor(
    private readonly minMs: number,
    private readonly maxMs: number,
  ) {}

  /** Milliseconds to wait before the next try; many clients of one server do not come back at once. */
  next(): number {
    const ceiling = Math.min(this.maxMs, this.minMs * 2 ** Math.min(this.tries++, 30));
    return ceiling / 2 + (ceiling / 2) * Math.random();
  }

  reset(): void {
    this.tries = 0;
  }
}

/** Waits, or less when `signal` is raised. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return sleep(ms, undefined, { signal }).catch(() => undefined);
}
