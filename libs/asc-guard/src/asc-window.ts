import type { Bound, ErrorCode } from '@antelope-history/schemas';

export interface AscWindowLimits {
  /** Off: every ascending query is allowed. */
  requireBoundedAsc: boolean;
  /** How far back a date `after` may lie, in days. */
  maxAscWindowDays: number;
}

export interface AscWindowQuery {
  order: 'asc' | 'desc';
  after?: Bound | undefined;
  before?: Bound | undefined;
}

export interface AscWindowViolation {
  code: Extract<ErrorCode, 'ASC_UNBOUNDED' | 'ASC_WINDOW_EXCEEDED'>;
  /** What to change. */
  message: string;
}

const DAY_MS = 86_400_000;

/**
 * The ascending guard: an ascending query needs a bound, and a date `after` must lie within the window, to the
 * millisecond. Block numbers are exempt from the window, and descending queries from everything.
 */
export function checkAscWindow(
  query: AscWindowQuery,
  nowMs: number,
  limits: AscWindowLimits,
): AscWindowViolation | undefined {
  if (query.order !== 'asc' || !limits.requireBoundedAsc) return undefined;
  if (!query.after && !query.before) {
    return {
      code: 'ASC_UNBOUNDED',
      message: 'sort asc needs "after" and/or "before", each an ISO 8601 date-time or a block number',
    };
  }
  const earliestMs = nowMs - limits.maxAscWindowDays * DAY_MS;
  if (query.after && 'timeMs' in query.after && query.after.timeMs < earliestMs) {
    return {
      code: 'ASC_WINDOW_EXCEEDED',
      message: `with sort asc a date in "after" must lie within the last ${limits.maxAscWindowDays} days; for older ranges use a block number`,
    };
  }
  return undefined;
}
