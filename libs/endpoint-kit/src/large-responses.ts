import { HistoryError } from '@antelope-history/schemas';

/** So many large responses are made at once in a process; each may take some times `RESPONSE_LIMITS.bytes` of memory. */
const MADE_AT_ONCE = 2;
const MOST_WAITING = 64;
const LONGEST_WAIT_MS = 20_000;

interface Waiter {
  enter(): void;
}

/**
 * Bounds the large responses that a process makes at once, in the order in which they were found to be large. Others
 * are not held up: a request is small until its response shows otherwise.
 */
export class LargeResponses {
  private making = 0;
  private readonly waiting: Waiter[] = [];

  /**
   * Resolves when one more may be made; the caller calls `leave` after it. Rejects with `UNAVAILABLE` when too many wait
   * or the wait is too long, and with the signal's reason when the client left.
   */
  async enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.making < MADE_AT_ONCE) {
      this.making++;
      return;
    }
    if (this.waiting.length >= MOST_WAITING) throw busy();
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
      const timer = setTimeout(() => giveUp(busy()), LONGEST_WAIT_MS);
      signal.addEventListener('abort', leaveQueue);
      this.waiting.push(waiter);
    });
  }
}

function busy(): HistoryError {
  return new HistoryError('UNAVAILABLE', 'too many large responses are being made: try again');
}
