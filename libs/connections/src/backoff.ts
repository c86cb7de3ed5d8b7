/** Doublings after which the longest wait is reached whatever it is. */
const MAX_DOUBLINGS = 30;

/** Growing waits between tries: doubled each time, from `minMs` to `maxMs`, half of each by chance. */
export class Backoff {
  private tries = 0;

  constructor(
    private readonly minMs: number,
    private readonly maxMs: number,
    private readonly random: () => number = Math.random,
  ) {}

  /** Milliseconds to wait before the next try; many clients of one server do not come back at once. */
  next(): number {
    const ceiling = Math.min(this.maxMs, this.minMs * 2 ** Math.min(this.tries++, MAX_DOUBLINGS));
    return ceiling / 2 + (ceiling / 2) * this.random();
  }

  reset(): void {
    this.tries = 0;
  }
}
