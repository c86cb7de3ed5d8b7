/** Doublings after which every configurable maximum is reached; bounds the exponent. */
const MAX_DOUBLINGS = 30;

/**
 * Exponential backoff with jitter: the upper limit of a wait doubles with each attempt, from `minMs` to `maxMs`
 * milliseconds; a wait lies between half of that limit and all of it.
 */
export class Backoff {
  private attempts = 0;

  constructor(
    private readonly minMs: number,
    private readonly maxMs: number,
    private readonly random: () => number = Math.random,
  ) {}

  /** Milliseconds to wait before the next attempt. The jitter keeps clients of one server from retrying at the same time. */
  next(): number {
    const ceiling = Math.min(this.maxMs, this.minMs * 2 ** Math.min(this.attempts++, MAX_DOUBLINGS));
    return ceiling / 2 + (ceiling / 2) * this.random();
  }

  /** Starts again at `minMs`, after a success. */
  reset(): void {
    this.attempts = 0;
  }
}
