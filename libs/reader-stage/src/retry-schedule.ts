import { TOPOLOGY } from '@antelope-history/broker';
import { Backoff } from '@antelope-history/connectivity';

const MAX_QUEUED_BLOCKS = TOPOLOGY.rawBlocks.maxMessages + TOPOLOGY.blockRecords.maxMessages;

/**
 * The waits between sessions. They grow while the committed head makes no progress after refetch requests: a published block
 * proves nothing as long as the block that a later stage could not use may still be in a queue behind it.
 */
export class RetrySchedule {
  private readonly backoff: Backoff;
  /** The committed head at the last restart after a refetch request; undefined once blocks well above it were published. */
  private stuckAt: number | undefined;
  private isRefetch = false;

  constructor(minMs: number, maxMs: number) {
    this.backoff = new Backoff(minMs, maxMs);
  }

  /** Milliseconds to wait before the next session. */
  nextWaitMs(): number {
    return this.backoff.next();
  }

  refetchRequested(): void {
    this.isRefetch = true;
  }

  /** Reading continues at the committed head `committedNum`; 0 = the store is empty. */
  restarted(committedNum: number): void {
    if (this.stuckAt !== undefined && committedNum > this.stuckAt) this.backoff.reset();
    if (this.isRefetch) this.stuckAt = committedNum;
    this.isRefetch = false;
  }

  published(blockNum: number): void {
    if (this.stuckAt !== undefined && blockNum <= this.stuckAt + MAX_QUEUED_BLOCKS) return;
    this.backoff.reset();
    this.stuckAt = undefined;
  }
}
