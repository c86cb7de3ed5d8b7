import { HistoryError } from '@antelope-history/schemas';

/** Number of large responses rendered at once per process; each may take several times `RESPONSE_LIMITS.bytes` of memory. */
const MAX_CONCURRENT = 2;
const MAX_WAITING = 64;
const MAX_WAIT_MS = 20_000;

interface Waiter {
  enter(): void;
}

/** The limit as a thread of the process sees it. */
export interface LargeResponseLimit {
  /**
   * Resolves when the caller may continue; the caller calls `leave` afterwards. Rejects with `UNAVAILABLE` if too many
   * requests wait or the wait is too long, and with the signal's reason if the client disconnects.
   */
  enter(signal: AbortSignal): Promise<void>;
  leave(): void;
}

/**
 * Limits the large responses that a process renders at once, first come, first served. Other requests are not delayed: a
 * request counts as small until its response has grown large.
 */
export class LargeResponses implements LargeResponseLimit {
  private making = 0;
  private readonly waiting: Waiter[] = [];

  async enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.making < MAX_CONCURRENT) {
      this.making++;
      return;
    }
    if (this.waiting.length >= MAX_WAITING) throw busy();
    await this.wait(signal);
  }

  leave(): void {
    const next = this.waiting.shift();
    if (next) next.enter();
    else this.making--;
  }

  private wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', leaveQueue);
        settle();
      };
      const waiter = { enter: () => end(resolve) };
      const giveUp = (reason: Error): void => {
        this.waiting.splice(this.waiting.indexOf(waiter), 1);
        end(() => reject(reason));
      };
      const leaveQueue = (): void => giveUp(signal.reason as Error);
      const timer = setTimeout(() => giveUp(busy()), MAX_WAIT_MS);
      signal.addEventListener('abort', leaveQueue);
      this.waiting.push(waiter);
    });
  }
}

function busy(): HistoryError {
  return new HistoryError('UNAVAILABLE', 'too many large responses are being rendered: try again');
}
