import { HistoryError } from '@antelope-history/schemas';

/** Times as nodeos prints them: UTC without a zone (nodeos libraries/libfc/src/time.cpp). */

const SLOT_EPOCH_MS = Date.UTC(2000, 0, 1);
const SLOT_MS = 500;
/** 10000-01-01: the node's calendar (boost::gregorian) has the years 1400 to 9999. */
const CALENDAR_END_MS = Date.UTC(10_000, 0, 1);
const FIRST_YEAR = 1400;
const LAST_YEAR = 9999;
/** boost::gregorian computes a year as a 16-bit integer, so that years repeat from 65536 on. */
const YEAR_VALUES = 65_536n;
/** The days of the Gregorian calendar repeat after 400 years. */
const CYCLE_YEARS = 400n;
const CYCLE_MS = 146_097n * 86_400_000n;

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
 * The node prints a negative time as a duration: `-HHMMSS[.ffffff]`. It prints the year of a time after the year 9999 modulo
 * 65536, and fails if its calendar does not have that year; this function throws `DECODE_FAILED` then.
 */
export function timePointToString(microseconds: bigint): string {
  if (microseconds < 0n) return negativeTimePointToString(microseconds);
  const milliseconds = microseconds / 1000n;
  if (milliseconds >= CALENDAR_END_MS) return lateTimeToString(milliseconds);
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

/** Prints a time after the year 9999, with the year modulo 65536. February 29th becomes March 1st if that year has none. */
function lateTimeToString(milliseconds: bigint): string {
  const date = new Date(Number(milliseconds % CYCLE_MS));
  const year = BigInt(date.getUTCFullYear()) + (milliseconds / CYCLE_MS) * CYCLE_YEARS;
  const printed = year % YEAR_VALUES;
  if (printed < FIRST_YEAR || printed > LAST_YEAR) {
    throw new HistoryError('DECODE_FAILED', `a time in the year ${year}, which is after the year 9999`);
  }
  date.setUTCFullYear(Number(printed));
  return date.toISOString().slice(0, 23);
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
