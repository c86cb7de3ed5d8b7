import type { View } from '@antelope-history/records';

const MICROSECONDS_PER_MS = 1000;

/** Gives each message of a reader its stream position: an epoch and a sequence, see `View`. */
export class ViewCounter {
  private session = 0;
  private next = 0;

  /**
   * Begins an epoch. Its sequences are higher than all that this reader has given and higher than `committedOrdinal`, whatever
   * the clock says. They count from `now` (milliseconds since 1970) in microseconds: 2^53 microseconds last until 2255, and no
   * node sends a million blocks per second.
   */
  beginSession(committedOrdinal: number, now: number = Date.now()): void {
    this.session = Math.max(now * MICROSECONDS_PER_MS, this.next, committedOrdinal + 1);
    this.next = this.session;
  }

  /** The stream position of the next message. */
  take(): View {
    return { session: this.session, ordinal: this.next++ };
  }
}
