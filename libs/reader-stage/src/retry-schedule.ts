import { TOPOLOGY } from '@antelope-history/broker';
import { Backoff } from '@antelope-history/connectivity';

const MAX_QUEUED_BLOCKS = TOPOLOGY.rawBlocks.maxMessages + TOPOLOGY.blockRecords.maxMessages;

/** During an outage this short the waits stay short, because the node has probably been restarted and is back soon. */
const SHORT_OUTAGE_MS = 60_000;
const MAX_SHORT_WAIT_MS = 2_000;

/**
 * The waits between sessions. A published block ends an outage and resets them. After a refetch request they grow until the
 * committed head rises, or until more blocks are published than the queues hold: before that, the block that a later stage could
 * not use may still be in a queue.
 */
export class RetrySchedule {
  private readonly backoff: Backoff;
  /** The committed head at the last restart after a refetch request; undefined once blocks well above it were published. */
  private stuckAt: number | undefined;
  private isRefetch = false;
  /** The time of the first failure since a block was published. */
  private outageSince: number | undefined;

  constructor(minMs: number, maxMs: number) {
    this.backoff = new Backoff(minMs, maxMs);
  }

  /** Milliseconds to wait before the next session. `now`: milliseconds of a monotonic clock. */
  nextWaitMs(now: number): number {
    this.outageSince ??= now;
    const isShort = this.stuckAt === undefined && now - this.outageSince < SHORT_OUTAGE_MS;
    return Math.min(this.backoff.next(), isShort ? MAX_SHORT_WAIT_MS : Infinity);
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
    this.outageSince = undefined;
    this.backoff.reset();
    this.stuckAt = undefined;
  }
}
