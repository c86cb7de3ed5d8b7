import type { StreamPosition } from '@antelope-history/records';

const MICROSECONDS_PER_MS = 1000;
/** A reader has given at most this many sequences that are not committed yet: the queues hold fewer messages. */
const MAX_UNCOMMITTED = 1_000_000;
/** The year 2112 in microseconds: a later clock is wrong, and would leave too few sequences for all that follow. */
const LATEST_CLOCK = 2 ** 52;

/** Gives each message of a reader its stream position: an epoch and a sequence, see `StreamPosition`. */
export class StreamPositionCounter {
  private epoch = 0;
  private next = 0;

  /**
   * Begins an epoch and returns it. Its sequences are higher than all that this reader has given, and than all that any reader has
   * given in the epoch of the newest committed message or in `lastEpoch`, the newest epoch of any reader, whatever the clocks say.
   * They count from `now` (milliseconds since 1970) in microseconds, because no node sends a million blocks per second.
   */
  beginEpoch(committedSequence: number, lastEpoch: number, now: number = Date.now()): number {
    const given = Math.max(committedSequence, lastEpoch) + MAX_UNCOMMITTED;
    this.epoch = Math.max(Math.min(now * MICROSECONDS_PER_MS, LATEST_CLOCK), this.next, given);
    this.next = this.epoch;
    return this.epoch;
  }

  /** The stream position of the next message. */
  take(): StreamPosition {
    return { epoch: this.epoch, sequence: this.next++ };
  }
}
