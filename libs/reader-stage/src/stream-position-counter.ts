import type { StreamPosition } from '@antelope-history/records';

const MICROSECONDS_PER_MS = 1000;

/** Gives each message of a reader its stream position: an epoch and a sequence, see `StreamPosition`. */
export class StreamPositionCounter {
  private epoch = 0;
  private next = 0;

  /**
   * Begins an epoch. Its sequences are higher than all that this reader has given and higher than `committedSequence`, whatever
   * the clock says. They count from `now` (milliseconds since 1970) in microseconds: 2^53 microseconds last until 2255, and no
   * node sends a million blocks per second.
   */
  beginEpoch(committedSequence: number, now: number = Date.now()): void {
    this.epoch = Math.max(now * MICROSECONDS_PER_MS, this.next, committedSequence + 1);
    this.next = this.epoch;
  }

  /** The stream position of the next message. */
  take(): StreamPosition {
    return { epoch: this.epoch, sequence: this.next++ };
  }
}
