/** Upper limit of the doubled wait between alarms, in multiples of the stall time. */
const MAX_WAIT_FACTOR = 16;

/**
 * Detects that blocks are written but the committed head does not move: a message before them was lost, and no queued message
 * will fill the gap. Pure; times in milliseconds of one clock.
 */
export class StallWatch {
  private committed: number | undefined;
  /** The time of the first write after the head last moved, or after the last alarm. */
  private waitingSince: number | undefined;
  private factor = 1;

  constructor(private readonly stallMs: number) {}

  /** A block was written. */
  written(now: number): void {
    this.waitingSince ??= now;
  }

  /** The committed head was read. */
  observe(committedNum: number | undefined): void {
    if (committedNum === this.committed) return;
    this.committed = committedNum;
    this.waitingSince = undefined;
    this.factor = 1;
  }

  /**
   * Whether to request a refetch now. Each alarm doubles the wait for the next one, because refetched blocks queue behind all
   * that are queued already.
   */
  isStalled(now: number): boolean {
    if (this.waitingSince === undefined || now - this.waitingSince < this.stallMs * this.factor) return false;
    this.waitingSince = undefined;
    this.factor = Math.min(MAX_WAIT_FACTOR, this.factor * 2);
    return true;
  }
}
