import { incomplete } from '../client/search';
import { rangeLast, rangeStart, rangeStarts } from '../indices/block-ranges';
import { directoryBlocks } from '../indices/directory';
import type { SequenceRange } from '../indices/sequence-range';
import type { ActionList, Order } from '../indices/found-actions';
import { inSequences } from './actions-scope';
import { onBranch, within, type BlockRange } from './branch-filter';
import { type DirectoryKey, findRanges } from './directory-query';
import { type ActionSelection, countRanges, locateInRange, MAX_FROM } from './locate-row';
import { type Counted, fromPartOn, partOfRow } from './row-location';
import type { Snapshot } from './snapshot';

/** Ranges that are searched together, in the order of the list. `rows`: the number of rows of each range, if it is known. */
export interface Run {
  ranges: readonly BlockRange[];
  rows: readonly number[] | undefined;
}

/**
 * The list of the rows of a run that are left after some are skipped. If none are left, `passed` is the number of rows of the
 * run.
 */
export type OpenedRun = { list: ActionList } | { passed: number };

/** The number of ranges in the first run of uncounted ranges. Each later run has `GROWTH` times as many. */
const FIRST_RANGES = 8;
const GROWTH = 4;
/** More rows are rather skipped by the counts of the directory. No page is larger. */
const MAX_HEAD_SKIP = 1_000;

/**
 * The ranges that have the rows of a selection after the first `skip`, in its order. The newest ranges are not in the directory yet
 * and come in runs of their own. Of those in it, the first one is searched before the directory responds, unless `skip` is large:
 * the rows of an active account fill the page, and an account without rows there costs the search little.
 */
export async function* runsOf(
  snapshot: Snapshot,
  selection: ActionSelection,
  key: DirectoryKey,
  skip: number,
): AsyncGenerator<Run> {
  const { order, scope } = selection;
  const covered = directoryBlocks(snapshot.progress);
  const old = covered && within(scope.blocks, covered);
  const young = within(scope.blocks, { first: old ? old.last + 1 : 0, last: Infinity });
  const head = old && skip <= MAX_HEAD_SKIP ? firstRange(old, order, snapshot) : undefined;
  const rest = old && without(old, head);
  const inDirectory = rest && findRanges(snapshot, key);
  // The directory is awaited only if the list does not end before. Without this handler, a failure would then be an unhandled
  // rejection.
  inDirectory?.catch(() => undefined);
  const ofHead = head ? [head] : [];
  const ofYoung = young ? rangesIn(young, snapshot) : [];
  yield* uncounted(order === 'desc' ? [...ofYoung.reverse(), ...ofHead] : ofHead);
  if (covered && rest && inDirectory) yield* directoryRuns(snapshot, selection, rest, covered, await inDirectory);
  if (order === 'asc') yield* uncounted(ofYoung);
}

/** The part of the blocks in the range with which a list in this order begins. */
function firstRange({ first, last }: BlockRange, order: Order, { progress }: Snapshot): BlockRange {
  if (order === 'desc') return { first: Math.max(first, rangeStart(last, progress)), last };
  return { first, last: Math.min(last, rangeLast(first, progress)) };
}

/** The blocks without a part at their beginning or end; undefined when none are left. */
function without({ first, last }: BlockRange, part: BlockRange | undefined): BlockRange | undefined {
  if (!part) return { first, last };
  const rest = part.first === first ? { first: part.last + 1, last } : { first, last: part.first - 1 };
  return rest.first > rest.last ? undefined : rest;
}

/** The runs of ranges that the directory covers and that have rows. */
function* directoryRuns(
  snapshot: Snapshot,
  selection: ActionSelection,
  old: BlockRange,
  covered: BlockRange,
  { ranges: found, isExact }: Awaited<ReturnType<typeof findRanges>>,
): Generator<Run> {
  const { order } = selection;
  const parts = found.flatMap(({ range, rows }) => {
    const whole = { first: range, last: rangeLast(range, snapshot.progress) };
    const blocks = within(whole, old);
    if (!blocks) return [];
    const all = within(whole, covered);
    const isWhole = blocks.first === all?.first && blocks.last === all.last;
    return [{ blocks, rows: isExact && isWhole ? rows : undefined }];
  });
  if (order === 'desc') parts.reverse();
  for (let start = 0; start < parts.length;) {
    const isCounted = parts[start]?.rows !== undefined;
    let end = start;
    while (end < parts.length && (parts[end]?.rows !== undefined) === isCounted) end++;
    const some = parts.slice(start, end);
    const ranges = some.map(({ blocks }) => blocks);
    if (isCounted) yield { ranges, rows: some.map(({ rows }) => rows ?? 0) };
    else yield* uncounted(ranges);
    start = end;
  }
}

/** Runs of ranges whose rows are not counted, each larger than the one before it. */
function* uncounted(ranges: readonly BlockRange[]): Generator<Run> {
  let size = FIRST_RANGES;
  for (let start = 0; start < ranges.length;) {
    yield { ranges: ranges.slice(start, start + size), rows: undefined };
    start += size;
    size *= GROWTH;
  }
}

/** The parts of the ranges that have some of the blocks, ascending. */
export function rangesIn({ first, last }: BlockRange, { progress }: Snapshot): BlockRange[] {
  return rangeStarts({ first, last }, progress).map((start) => ({
    first: Math.max(start, first),
    last: Math.min(rangeLast(start, progress), last),
  }));
}

/** The list of a run's rows after the first `skip`, at least `wanted` rows if the run has as many. */
export async function openRun(
  snapshot: Snapshot,
  selection: ActionSelection,
  run: Run,
  skip: number,
  wanted: number,
): Promise<OpenedRun> {
  if (!run.rows && skip <= MAX_FROM) {
    return { list: listIn(snapshot, selection, run.ranges, selection.scope.sequences, skip) };
  }
  const counted = run.rows ? countedOf(run.ranges, run.rows) : await countRanges(snapshot, selection, run.ranges);
  const found = partOfRow(counted, skip);
  if ('passed' in found) return found;
  const ranges = rangesFor(counted, found.part, found.rowsBefore + wanted);
  if (found.rowsBefore <= MAX_FROM) {
    return { list: listIn(snapshot, selection, ranges, selection.scope.sequences, found.rowsBefore) };
  }
  const located = await locateInRange(snapshot, selection, found, MAX_FROM);
  if (!located) throw incomplete('rows that were counted are missing');
  const sequences = fromPartOn(located.part, selection.scope.sequences, selection.order);
  return { list: listIn(snapshot, selection, ranges, sequences, located.rowsBefore) };
}

function countedOf(ranges: readonly BlockRange[], rows: readonly number[]): Counted<BlockRange>[] {
  return ranges.map((part, index) => ({ part, rows: rows[index] ?? 0 }));
}

/** The ranges, beginning with `from`, that have the next `wanted` rows. */
function rangesFor(counted: readonly Counted<BlockRange>[], from: BlockRange, wanted: number): BlockRange[] {
  const ranges: BlockRange[] = [];
  let rows = 0;
  for (const each of counted.slice(counted.findIndex(({ part }) => part === from))) {
    if (rows >= wanted) break;
    if (each.rows > 0) ranges.push(each.part);
    rows += each.rows;
  }
  return ranges;
}

function listIn(
  { names, progress }: Snapshot,
  { scope, wanted, order }: ActionSelection,
  ranges: readonly BlockRange[],
  sequences: SequenceRange,
  from: number,
): ActionList {
  const ends = ranges.flatMap(({ first, last }) => [first, last]);
  const blocks = within(scope.blocks, { first: Math.min(...ends), last: Math.max(...ends) }) ?? scope.blocks;
  return {
    index: ranges.map(({ first }) => names.ranged('actions', first, progress)).join(),
    fewest: ranges.length,
    filters: [...wanted, ...inSequences(sequences), onBranch(progress, blocks)],
    order,
    from,
  };
}
