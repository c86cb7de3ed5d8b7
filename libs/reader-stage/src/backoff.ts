/** Growing delays between tries: doubled each time, from `minMs` to `maxMs`, with some chance in them. */
export class Backoff {
  private tries = 0;
  private wake: (() => void) | undefined;

  constructor(
    private readonly minMs: number,
    private readonly maxMs: number,
    private readonly random: () => number = Math.random,
  ) {}

  /** Milliseconds to wait before the next try: half of them sure, half by chance, so that many do not come at once. */
  next(): number {
    const ceiling = Math.min(this.maxMs, this.minMs * 2 ** Math.min(this.tries++, 30));
    return ceiling / 2 + (ceiling / 2) * this.random();
  }

  reset(): void {
    this.tries = 0;
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Ends a wait at once. */
  cancel(): void {
    this.wake?.();
  }
}
