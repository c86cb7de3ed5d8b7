import { HistoryError } from '@antelope-history/schemas';
import type { PositionRange } from '@antelope-history/store';

const DEFAULT_POS = -1;
const DEFAULT_OFFSET = -20;
/** The plugin computed positions as 32-bit integers. */
const MAX_POSITION = 2 ** 31 - 1;

/**
 * The positions that the history plugin selected, both ends included, for an account with `count` traces
 * (nodeos history_plugin.cpp, get_actions). Throws `INVALID_REQUEST` where the plugin had status 500, because the end precedes
 * the beginning.
 *
 * | pos | offset | positions |
 * | --- | --- | --- |
 * | p | n > 0 | p to p+n |
 * | p | 0 or less | p+n to p |
 * | -1 or absent | | as p = count |
 * | | absent | as -20 |
 */
export function pluginWindow(pos = DEFAULT_POS, offset = DEFAULT_OFFSET): (count: number) => PositionRange {
  if (pos + offset > MAX_POSITION) {
    throw new HistoryError('INVALID_REQUEST', `pos: pos + offset must not exceed ${MAX_POSITION}`);
  }
  return (count) => {
    const from = pos === -1 ? count : pos;
    return offset > 0 ? { first: from, last: from + offset } : { first: from + offset, last: from };
  };
}

/**
 * The positions of a page: those of the window that are stored, at most `maxRows`, from the beginning of the order on. A page with
 * conditions may have no row that says where it ended, so that a longer window throws `INVALID_REQUEST`.
 */
export function pagePositions(
  window: PositionRange,
  stored: PositionRange,
  { order, maxRows, hasConditions }: { order: 'asc' | 'desc'; maxRows: number; hasConditions: boolean },
): PositionRange & { isCut: boolean } {
  const first = Math.max(window.first, stored.first);
  const last = Math.min(window.last, stored.last);
  const positions = last - first + 1;
  if (positions <= maxRows) return { first, last, isCut: false };
  if (hasConditions) {
    throw new HistoryError(
      'INVALID_REQUEST',
      `offset: with filter, after, before or parent, ask for at most ${maxRows} positions; this window has ${positions}`,
    );
  }
  return order === 'asc'
    ? { first, last: first + maxRows - 1, isCut: true }
    : { first: last - maxRows + 1, last, isCut: true };
}
