import { incomplete } from '../client/search';
import { type BlockRange, rangeLast, rangeStart } from '../indices/block-ranges';
import { directoryBlocks } from '../indices/directory';
import type { SequenceRange } from '../indices/sequence-range';
import type { ActionList, Order } from '../indices/found-actions';
import { inSequences } from './actions-scope';
import { onBranch, within } from './branch-filter';
import { type DirectoryKey, type DirectoryRanges, findRanges, knownRanges } from './directory-query';
import {
  type ActionSelection,
  countRanges,
  locateInRange,
  locateNearEnd,
  MAX_SKIP_BY_SEARCH,
  MAX_SKIP_WITHOUT_COUNTING,
} from './locate-row';
import { growingGroups, rangesIn } from './range-groups';
import { type Counted, fromPartOn, partOfRow, type RowInPart } from './row-location';
import type { QueryState } from './query-state';

/** Ranges that are searched together, in the order of the list. `rows`: the number of rows of each range, if it is known. */
export interface Run {
  ranges: readonly BlockRange[];
  rows: readonly number[] | undefined;
}

/**
 * The list of the rows of a run that are left after some are skipped; `hasRows`: whether it is known that some are left. If it is
 * known that none are, `passed` is the number of rows of the run.
 */
export type OpenedRun = { list: ActionList; hasRows: boolean } | { passed: number };

/** The number of ranges in the first run of uncounted ranges. */
const FIRST_RANGES = 8;
/** When more rows are to be skipped, no range is searched before the directory's counts are known: they tell which ranges to skip. */
const MAX_SKIP_WITHOUT_DIRECTORY = 1_000;

/** A range of a list; `rows` undefined: it has not been counted. */
interface ListedRange {
  blocks: BlockRange;
  rows: number | undefined;
}

/** The rows that a query takes of a list: at most `limit` of them after the first `skip`. */
export interface Page {
  skip: number;
  limit: number;
}

/**
 * The ranges that have the rows of a page of a selection, in its order. The young blocks, which are not in the directory yet, are always
 * searched. Of the ranges of the old ones,
 * - all are searched while there is no directory;
 * - if this process has read the directory's counts of the list, the first run has all ranges that the page needs;
 * - otherwise the first of them is searched while the directory is read, then those that have rows by the directory.
 */
export async function* runsOfPage(
  state: QueryState,
  selection: ActionSelection,
  key: DirectoryKey,
  page: Page,
): AsyncGenerator<Run> {
  const { order, scope } = selection;
  const covered = directoryBlocks(state.progress);
  const old = covered && within(scope.blocks, covered);
  const young = within(scope.blocks, { first: old ? old.last + 1 : 0, last: Infinity });
  const ofYoung = (young ? rangesIn(young, state) : []).map((blocks) => ({ blocks, rows: undefined }));
  if (order === 'desc') ofYoung.reverse();
  const known = old && knownRanges(state, key);
  if (!old) yield* toRuns(ofYoung);
  else if (!known) yield* runsWhileReadingDirectory(state, selection, key, page, { old, ofYoung });
  else {
    const ofOld = rangesWithRows(state, order, old, known);
    yield* runsOfKnownCounts(order === 'desc' ? [...ofYoung, ...ofOld] : [...ofOld, ...ofYoung], page);
  }
}

/**
 * The runs while the directory is read. Of the ranges in it, the first one is searched before the directory responds, unless `skip`
 * is large: the rows of an active account fill the page, and an account without rows there costs the search little.
 */
async function* runsWhileReadingDirectory(
  state: QueryState,
  { order }: ActionSelection,
  key: DirectoryKey,
  { skip }: Page,
  { old, ofYoung }: { old: BlockRange; ofYoung: readonly ListedRange[] },
): AsyncGenerator<Run> {
  const first = skip <= MAX_SKIP_WITHOUT_DIRECTORY ? firstRange(old, order, state) : undefined;
  const rest = without(old, first);
  const inDirectory = rest && findRanges(state, key);
  // The directory is awaited only if the list does not end before. Without this handler, a failure would then be an unhandled
  // rejection.
  inDirectory?.catch(() => undefined);
  const ofFirst = first ? [{ blocks: first, rows: undefined }] : [];
  yield* toRuns(order === 'desc' ? [...ofYoung, ...ofFirst] : ofFirst);
  if (inDirectory) yield* toRuns(rangesWithRows(state, order, rest, await inDirectory));
  if (order === 'asc') yield* toRuns(ofYoung);
}

/** The part of the blocks in the range with which a list in this order begins. */
function firstRange({ first, last }: BlockRange, order: Order, { progress }: QueryState): BlockRange {
  if (order === 'desc') return { first: Math.max(first, rangeStart(last, progress)), last };
  return { first, last: Math.min(last, rangeLast(first, progress)) };
}

/** The blocks without a part at their beginning or end; undefined when none are left. */
function without({ first, last }: BlockRange, part: BlockRange | undefined): BlockRange | undefined {
  if (!part) return { first, last };
  const rest = part.first === first ? { first: part.last + 1, last } : { first, last: part.first - 1 };
  return rest.first > rest.last ? undefined : rest;
}

/** The ranges of the old blocks that have rows by the directory, in the order of the list. */
function rangesWithRows(
  { progress }: QueryState,
  order: Order,
  old: BlockRange,
  { ranges: found, isExact }: DirectoryRanges,
): ListedRange[] {
  const covered = directoryBlocks(progress);
  const ranges = found.flatMap(({ range, rows }) => {
    const whole = { first: range, last: rangeLast(range, progress) };
    const blocks = within(whole, old);
    if (!blocks) return [];
    const all = covered && within(whole, covered);
    const isWhole = blocks.first === all?.first && blocks.last === all.last;
    return [{ blocks, rows: isExact && isWhole ? rows : undefined }];
  });
  return order === 'desc' ? ranges.reverse() : ranges;
}

/**
 * The first run has the ranges whose rows fill the page, and the uncounted ones among them, as far as they are few. To count the
 * latter first takes one request more, but not the ranges whose rows are all skipped, which may be many.
 */
function* runsOfKnownCounts(ranges: readonly ListedRange[], { skip, limit }: Page): Generator<Run> {
  const takesFew = skip <= MAX_SKIP_WITHOUT_DIRECTORY && rangesNeeded(ranges, skip) <= FIRST_RANGES;
  const first = takesFew ? ranges.slice(0, rangesNeeded(ranges, skip + limit)) : [];
  // Counted ranges alone need no such run: the counts tell in which of them the page begins.
  const isMixed = first.some(({ rows }) => rows === undefined);
  if (isMixed) yield { ranges: first.map(({ blocks }) => blocks), rows: undefined };
  yield* toRuns(isMixed ? ranges.slice(first.length) : ranges);
}

/** The number of ranges, from the first on, that have `rows` rows together; it ends after `FIRST_RANGES` uncounted ones. */
function rangesNeeded(ranges: readonly ListedRange[], rows: number): number {
  let missing = rows;
  let uncountedRanges = 0;
  for (const [index, range] of ranges.entries()) {
    if (range.rows === undefined) uncountedRanges++;
    if (missing <= 0 || uncountedRanges > FIRST_RANGES) return index;
    missing -= range.rows ?? 0;
  }
  return ranges.length;
}

/** A run of each group of counted ranges, and runs of those between them. */
function* toRuns(ranges: readonly ListedRange[]): Generator<Run> {
  for (let start = 0; start < ranges.length;) {
    const isCounted = ranges[start]?.rows !== undefined;
    let end = start;
    while (end < ranges.length && (ranges[end]?.rows !== undefined) === isCounted) end++;
    const some = ranges.slice(start, end);
    const blocks = some.map((range) => range.blocks);
    if (isCounted) yield { ranges: blocks, rows: some.map(({ rows }) => rows ?? 0) };
    else for (const group of growingGroups(blocks, FIRST_RANGES)) yield { ranges: group, rows: undefined };
    start = end;
  }
}

/** The list of a run's rows after the first `skip`, at least `limit` rows if the run has as many. */
export async function openRun(
  state: QueryState,
  selection: ActionSelection,
  run: Run,
  { skip, limit }: Page,
): Promise<OpenedRun> {
  const { scope, order } = selection;
  const listAt = (ranges: readonly BlockRange[], { part, rowsBefore }: RowInPart<SequenceRange>): OpenedRun => {
    const sequences = fromPartOn(part, scope.sequences, order);
    return { list: listIn(state, selection, ranges, sequences, rowsBefore), hasRows: true };
  };
  if (!run.rows) {
    const near = order === 'desc' ? await locateNearEnd(state, selection, run.ranges[0], skip) : undefined;
    if (near) return listAt(run.ranges, near);
    if (skip <= MAX_SKIP_BY_SEARCH)
      return { list: listIn(state, selection, run.ranges, scope.sequences, skip), hasRows: false };
  }
  const counted = run.rows ? countedOf(run.ranges, run.rows) : await countRanges(state, selection, run.ranges);
  const found = partOfRow(counted, skip);
  if ('passed' in found) return found;
  const ranges = rangesFor(counted, found.part, found.rowsBefore + limit);
  if (found.rowsBefore <= MAX_SKIP_WITHOUT_COUNTING) {
    return { list: listIn(state, selection, ranges, scope.sequences, found.rowsBefore), hasRows: true };
  }
  const located = await locateInRange(state, selection, found, MAX_SKIP_WITHOUT_COUNTING);
  if (!located) throw incomplete('rows that were counted are missing');
  return listAt(ranges, located);
}

function countedOf(ranges: readonly BlockRange[], rows: readonly number[]): Counted<BlockRange>[] {
  return ranges.map((part, index) => ({ part, rows: rows[index] ?? 0 }));
}

/** The ranges, beginning with `from`, that have the next `rows` rows. */
function rangesFor(counted: readonly Counted<BlockRange>[], from: BlockRange, rows: number): BlockRange[] {
  const ranges: BlockRange[] = [];
  let found = 0;
  for (const each of counted.slice(counted.findIndex(({ part }) => part === from))) {
    if (found >= rows) break;
    if (each.rows > 0) ranges.push(each.part);
    found += each.rows;
  }
  return ranges;
}

function listIn(
  { names, progress }: QueryState,
  { scope, filters, order }: ActionSelection,
  ranges: readonly BlockRange[],
  sequences: SequenceRange,
  from: number,
): ActionList {
  const ends = ranges.flatMap(({ first, last }) => [first, last]);
  const blocks = within(scope.blocks, { first: Math.min(...ends), last: Math.max(...ends) }) ?? scope.blocks;
  return {
    index: ranges.map(({ first }) => names.ranged('actions', first, progress)).join(),
    minIndices: ranges.length,
    filters: [...filters, ...inSequences(sequences), onBranch(progress, blocks)],
    order,
    from,
  };
}
