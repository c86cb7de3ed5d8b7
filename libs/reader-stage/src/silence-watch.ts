const CHECK_EVERY_MS = 1_000;

/**
 * Calls `onSilence` when a node has sent no block for too long. Time in which the reader itself holds messages back does not
 * count. The wall clock is not used, because it can be set.
 */
export class SilenceWatch {
  private heardAt = performance.now();
  private readonly timer: NodeJS.Timeout | undefined;

  /** `silenceMs`: 0 = never. */
  constructor(silenceMs: number, mayHear: () => boolean, onSilence: () => void) {
    if (silenceMs === 0) return;
    this.timer = setInterval(
      () => {
        if (!mayHear()) this.heard();
        else if (performance.now() - this.heardAt >= silenceMs) onSilence();
      },
      Math.min(CHECK_EVERY_MS, silenceMs),
    );
  }

  /** A block has arrived. */
  heard(): void {
    this.heardAt = performance.now();
  }

  stop(): void {
    clearInterval(this.timer);
  }
}
