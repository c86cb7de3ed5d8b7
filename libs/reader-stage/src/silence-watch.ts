const CHECK_EVERY_MS = 1_000;
/** A check counts at most twice the time between two of them, so that no single one makes a node silent. */
const MIN_CHECKS = 4;

/**
 * A message of gigabytes takes longer to arrive than the node may be silent. A node that sends at least as much counts as
 * sending; one that drips does not, so that a message of any size ends in hours.
 */
const MIN_BYTES_PER_SECOND = 64 * 1024;

/**
 * Calls `onSilence` when a node has sent no new block, and no considerable part of one, for too long. Time in which the reader itself
 * holds messages back does not count, nor time in which the process did not run: what the node sent meanwhile is read after the
 * timers. The wall clock is not used, because it can be set.
 */
export class SilenceWatch {
  private silentMs = 0;
  /** Up to when `silentMs` counts. */
  private countedTo = performance.now();
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
    const everyMs = Math.min(CHECK_EVERY_MS, silenceMs / MIN_CHECKS);
    this.timer = setInterval(() => {
      this.count(2 * everyMs);
      if (!mayHear()) this.heard();
      else if (this.silentMs < silenceMs) return;
      else if (this.receivedBytes() - this.receivedBefore >= minBytes) this.heard();
      else onSilence();
    }, everyMs);
  }

  /** A new block has arrived. */
  heard(): void {
    this.silentMs = 0;
    this.countedTo = performance.now();
    this.heardNothingNew();
  }

  /** A message without a new block has arrived: its bytes were no part of one. */
  heardNothingNew(): void {
    this.receivedBefore = this.receivedBytes();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private count(maxMs: number): void {
    const now = performance.now();
    this.silentMs += Math.min(now - this.countedTo, maxMs);
    this.countedTo = now;
  }
}
