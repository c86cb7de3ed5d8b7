import type { View } from '@antelope-history/records';

const MICROSECONDS_PER_MS = 1000;

/** Numbers the messages of a reader's sessions, see `View`. */
export class ViewCounter {
  private session = 0;
  private next = 0;

  /**
   * Begins a session whose ordinals are above all that this reader gave and above `committedOrdinal`, whatever the clock
   * says: microseconds since 1970 (2^53 of them last until 2255), which no node sends blocks fast enough to overtake.
   */
  beginSession(committedOrdinal: number, now: number = Date.now()): void {
    this.session = Math.max(now * MICROSECONDS_PER_MS, this.next, committedOrdinal + 1);
    this.next = this.session;
  }

  /** The view of the session's next message. */
  take(): View {
    return { session: this.session, ordinal: this.next++ };
  }
}
