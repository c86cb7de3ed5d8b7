import type { Bound, ErrorCode } from '@antelope-history/schemas';

export interface AscWindowLimits {
  /** False allows every ascending query. */
  requireBoundedAsc: boolean;
  /** Maximum age of a date in `after`, in days. */
  maxAscWindowDays: number;
}

export interface AscWindowQuery {
  order: 'asc' | 'desc';
  after?: Bound | undefined;
  before?: Bound | undefined;
}

export interface AscWindowViolation {
  code: Extract<ErrorCode, 'ASC_UNBOUNDED' | 'ASC_WINDOW_EXCEEDED'>;
  /** Tells the client what to change. */
  message: string;
}

const DAY_MS = 86_400_000;

/**
 * The asc window guard. An ascending query needs `after` or `before`, and a date in `after` must lie within the last
 * `maxAscWindowDays` days, exact to the millisecond. Block numbers are exempt from the window; descending queries are
 * always allowed. Returns undefined for an allowed query.
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
