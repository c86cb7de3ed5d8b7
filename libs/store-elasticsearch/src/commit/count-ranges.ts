import { rangeLast, rangeStart } from '../indices/block-ranges';
import type { JournalDocument, ProgressDocument } from '../indices/documents';

/** Every commit writes the starts, 11 bytes each. */
const MAX_STARTS = 10_000;

/**
 * A progress that has moved over blocks, with their actions counted. When the newest range has `actionsPerIndex` of them, another one
 * begins at the first block that no process has written yet. Actions of blocks that were undone stay counted.
 */
export function withRangesCounted(
  progress: ProgressDocument,
  applied: readonly JournalDocument[],
  actionsPerIndex: number,
): ProgressDocument {
  const { ranges, committed } = progress;
  if (!ranges || !committed) return progress;
  const { newest, unwritten_from: unwritten } = ranges;
  const first = rangeStart(committed.num, progress);
  const ofRange = applied.filter(({ position }) => position.num >= first);
  const counted = newest?.first === first ? newest.actions : 0;
  const actions = ofRange.reduce((sum, { counts }) => sum + counts.actions, counted);
  const isOpen = committed.num < unwritten && unwritten <= rangeLast(committed.num, progress);
  const isFull = actions >= actionsPerIndex && ranges.starts.length < MAX_STARTS;
  const starts = isOpen && isFull ? [...ranges.starts, unwritten] : ranges.starts;
  return { ...progress, ranges: { ...ranges, starts, newest: { first, actions } } };
}
