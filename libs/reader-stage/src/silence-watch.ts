const CHECK_EVERY_MS = 1_000;

/**
 * A message of gigabytes takes longer to arrive than the node may be silent. A node that sends at least as much counts as
 * sending; one that drips does not, so that a message of any size ends in hours.
 */
const MIN_BYTES_PER_SECOND = 64 * 1024;

/**
 * Calls `onSilence` when a node has sent no new block, and no considerable part of one, for too long. Time in which the reader itself
 * holds messages back does not count. The wall clock is not used, because it can be set.
 */
export class SilenceWatch {
  private heardAt = performance.now();
  private receivedBefore = 0;
  private readonly timer: NodeJS.Timeout | undefined;

  /** `silenceMs`: 0 = never. `receivedBytes`: all bytes that the node has sent so far. */
  constructor(
    silenceMs: number,
    mayHear: () => boolean,
    onSilence: () => void,
    private readonly receivedBytes: () => number,
  ) {
    if (silenceMs === 0) return;
    const minBytes = (MIN_BYTES_PER_SECOND * silenceMs) / 1_000;
    this.timer = setInterval(
      () => {
        if (!mayHear()) this.heard();
        else if (performance.now() - this.heardAt < silenceMs) return;
        else if (this.receivedBytes() - this.receivedBefore >= minBytes) this.heard();
        else onSilence();
      },
      Math.min(CHECK_EVERY_MS, silenceMs),
    );
  }

  /** A new block has arrived. */
  heard(): void {
    this.heardAt = performance.now();
    this.heardNothingNew();
  }

  /** A message without a new block has arrived: its bytes were no part of one. */
  heardNothingNew(): void {
    this.receivedBefore = this.receivedBytes();
  }

  stop(): void {
    clearInterval(this.timer);
  }
}
