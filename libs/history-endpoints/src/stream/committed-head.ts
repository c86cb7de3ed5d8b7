import type { ChainStatus, HistoryReader } from '@antelope-history/store';

/** The shortest time between two requests to the store while a stream waits. */
const MIN_POLL_MS = 5;
/** The share of the time that requests to the store may take: a slow store is asked less often. */
const ASKING_SHARE = 0.1;

interface Waiter {
  known: ChainStatus;
  resolve(status: ChainStatus): void;
  reject(reason: Error): void;
}

/** Tells all streams of a process when the committed state changes. The store is asked only while a stream waits. */
export class CommittedHead {
  private readonly waiting = new Set<Waiter>();
  private timer: NodeJS.Timeout | undefined;
  private pollMs = MIN_POLL_MS;

  constructor(private readonly reader: Pick<HistoryReader, 'getStatus'>) {}

  /** Resolves with the first status that differs from a known one. Rejects with the signal's reason, and when the store fails. */
  changedFrom(known: ChainStatus, signal: AbortSignal): Promise<ChainStatus> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason as Error);
        return;
      }
      const leave = (): void => {
        this.waiting.delete(waiter);
        signal.removeEventListener('abort', abort);
      };
      const waiter: Waiter = {
        known,
        resolve: (status) => {
          leave();
          resolve(status);
        },
        reject: (reason) => {
          leave();
          reject(reason);
        },
      };
      const abort = (): void => waiter.reject(signal.reason as Error);
      signal.addEventListener('abort', abort);
      this.waiting.add(waiter);
      this.timer ??= setTimeout(() => void this.poll(), this.pollMs);
    });
  }

  private async poll(): Promise<void> {
    const askedAt = performance.now();
    try {
      const status = await this.reader.getStatus();
      for (const waiter of this.waiting) if (differs(status, waiter.known)) waiter.resolve(status);
    } catch (error) {
      for (const waiter of this.waiting) waiter.reject(error as Error);
    }
    this.pollMs = Math.max(MIN_POLL_MS, (performance.now() - askedAt) / ASKING_SHARE);
    this.timer = this.waiting.size === 0 ? undefined : setTimeout(() => void this.poll(), this.pollMs);
  }
}

function differs(one: ChainStatus, other: ChainStatus): boolean {
  return (
    one.revision !== other.revision ||
    one.committed?.id !== other.committed?.id ||
    one.lastIrreversible?.num !== other.lastIrreversible?.num
  );
}
