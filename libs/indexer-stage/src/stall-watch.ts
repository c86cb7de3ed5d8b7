const LONGEST_WAIT_FACTOR = 16;

/**
 * Notices that blocks come and are written, but the committed head stands still: a message before them was lost, and nothing
 * that is under way will bring it. Pure; times in milliseconds of one clock.
 */
export class StallWatch {
  private committed: number | undefined;
  /** When a block was first written after the head last moved, or after the last alarm. */
  private waitingSince: number | undefined;
  private factor = 1;

  constructor(private readonly stallMs: number) {}

  /** A block was written. */
  written(now: number): void {
    this.waitingSince ??= now;
  }

  /** Where the committed head stands now. */
  sees(committedNum: number | undefined): void {
    if (committedNum === this.committed) return;
    this.committed = committedNum;
    this.waitingSince = undefined;
    this.factor = 1;
  }

  /**
   * Whether to have the chain read again now. Each alarm doubles the wait for the next, as what is read again stands behind
   * all that is under way.
   */
  isStalled(now: number): boolean {
    if (this.waitingSince === undefined || now - this.waitingSince < this.stallMs * this.factor) return false;
    this.waitingSince = undefined;
    this.factor = Math.min(LONGEST_WAIT_FACTOR, this.factor * 2);
    return true;
  }
}
