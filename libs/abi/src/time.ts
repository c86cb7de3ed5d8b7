import { HistoryError } from '@antelope-history/schemas';

/** Times as nodeos prints them: UTC without a zone (nodeos libraries/libfc/src/time.cpp). */

const SLOT_EPOCH_MS = Date.UTC(2000, 0, 1);
const SLOT_MS = 500;
/** 10000-01-01: the node's calendar (boost::gregorian) ends before this date, so that the node cannot print it. */
const CALENDAR_END_MS = Date.UTC(10_000, 0, 1);

/** Milliseconds since 1970 of a `block_timestamp_type` slot (half seconds since 2000). */
export function blockTimestampToMs(slot: number): number {
  return SLOT_EPOCH_MS + slot * SLOT_MS;
}

/** A `block_timestamp_type` slot as "2026-01-01T00:00:00.500". */
export function blockTimestampToString(slot: number): string {
  return millisecondsToString(blockTimestampToMs(slot));
}

/** A `time_point_sec` (seconds since 1970) as "2026-01-01T00:00:00". */
export function timePointSecToString(seconds: number): string {
  return millisecondsToString(seconds * 1000).slice(0, 19);
}

/**
 * A `time_point` (microseconds since 1970) as "2026-01-01T00:00:00.500", truncated (not rounded) to milliseconds.
 *
 * The node prints a negative time as a duration: `-HHMMSS[.ffffff]`. Throws `DECODE_FAILED` for a time after the year
 * 9999; the node fails on it too.
 */
export function timePointToString(microseconds: bigint): string {
  if (microseconds < 0n) return negativeTimePointToString(microseconds);
  const milliseconds = microseconds / 1000n;
  if (milliseconds >= CALENDAR_END_MS) {
    throw new HistoryError('DECODE_FAILED', `the time ${microseconds} us is after the year 9999`);
  }
  return millisecondsToString(Number(milliseconds));
}

const DAY_MS = 86_400_000;
/** "00" to "59". */
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
/** The last day that was printed, as "2026-01-01T": the times of a response have few days, and `toISOString` is slow. */
let lastDay = NaN;
let lastDayText = '';

/** Milliseconds since 1970, at most to the year 9999, as "2026-01-01T00:00:00.500". */
function millisecondsToString(milliseconds: number): string {
  const day = Math.floor(milliseconds / DAY_MS);
  if (day !== lastDay) {
    lastDayText = new Date(day * DAY_MS).toISOString().slice(0, 11);
    lastDay = day;
  }
  const rest = milliseconds - day * DAY_MS;
  const seconds = Math.floor(rest / 1000);
  const minutes = Math.floor(seconds / 60);
  const [hour, minute, second] = [Math.floor(minutes / 60), minutes % 60, seconds % 60];
  const fraction = String(rest % 1000).padStart(3, '0');
  return `${lastDayText}${TWO_DIGITS[hour]}:${TWO_DIGITS[minute]}:${TWO_DIGITS[second]}.${fraction}`;
}

/** Prints a negative duration like boost::posix_time::to_iso_string; the lowest int64 is boost's negative infinity. */
function negativeTimePointToString(microseconds: bigint): string {
  if (microseconds === -(1n << 63n)) return '-infinity';
  const elapsed = -microseconds;
  const fraction = elapsed % 1_000_000n;
  const seconds = elapsed / 1_000_000n;
  const clock = [seconds / 3600n, (seconds / 60n) % 60n, seconds % 60n].map((part) => String(part).padStart(2, '0'));
  return `-${clock.join('')}` + (fraction === 0n ? '' : `.${String(fraction).padStart(6, '0')}`);
}
