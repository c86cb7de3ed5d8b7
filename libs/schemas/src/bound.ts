import { z } from 'zod';
import { MAX_BLOCK_NUM } from './fields';

/** A bound of a query, inclusive: a block number, or a time in milliseconds since 1970 UTC. */
export type Bound = { blockNum: number } | { timeMs: number };

const DATE_TIME =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,18}))?)?([Zz]|[+-]\d\d(?::?\d\d)?)?)?$/;
const EXPECTED =
  'give an ISO 8601 date-time such as 2026-01-01T00:00:00 (UTC unless it names a zone) or a block number from 1 to ' +
  MAX_BLOCK_NUM;

/**
 * The fields `after` and `before`. Digits alone are a block number ("2026" is block 2026), anything else is a date or
 * date-time. Fractions of a millisecond are rounded towards the inside of the range, because the bounds are inclusive.
 */
export function bound(side: 'after' | 'before') {
  return z.union([z.number(), z.string()], { error: EXPECTED }).transform((value, context): Bound => {
    const parsed = parseBound(String(value), side);
    if (parsed) return parsed;
    context.addIssue({ code: 'custom', message: EXPECTED });
    return z.NEVER;
  });
}

function parseBound(value: string, side: 'after' | 'before'): Bound | undefined {
  if (/^\d+$/.test(value)) {
    const blockNum = Number(value);
    return blockNum >= 1 && blockNum <= MAX_BLOCK_NUM ? { blockNum } : undefined;
  }
  const time = parseDateTime(value);
  if (!time) return undefined;
  return { timeMs: side === 'after' && time.beyondMs ? time.ms + 1 : time.ms };
}

/** `beyondMs`: whether the time is a fraction of a millisecond after `ms`. */
function parseDateTime(value: string): { ms: number; beyondMs: boolean } | undefined {
  const match = DATE_TIME.exec(value);
  if (!match) return undefined;
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = match;
  const written = `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}Z`;
  const ms = Date.parse(written);
  // Date.parse accepts 30 February as 2 March and 24:00 as the next day; neither converts back to the same text.
  if (Number.isNaN(ms) || new Date(ms).toISOString() !== written) return undefined;
  const offsetMs = zoneOffsetMs(zone);
  if (offsetMs === undefined) return undefined;
  return { ms: ms - offsetMs, beyondMs: /[1-9]/.test(fraction.slice(3)) };
}

function zoneOffsetMs(zone: string): number | undefined {
  if (zone === 'Z' || zone === 'z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(-2)) * (zone.length > 3 ? 1 : 0);
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
