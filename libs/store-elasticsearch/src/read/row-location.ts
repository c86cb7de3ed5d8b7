/*
 * Finds the part of a long list with the row at a given distance from its beginning, by counting the rows of parts instead of
 * skipping them. Pure; `locate-row.ts` requests the counts.
 */

import type { Order } from '../indices/found-actions';
import type { SequenceRange } from '../indices/sequence-range';

/** A part of a list and its number of rows. */
export interface Counted<Part> {
  part: Part;
  rows: number;
}

/** A part of a list that has a row, and the number of the part's rows before it. */
export interface RowInPart<Part> extends Counted<Part> {
  rowsBefore: number;
}

/** A bucket of the server's `histogram`: the number of rows of actions with sequences from `key` to below `key + interval`. */
export interface Bucket {
  key: number;
  doc_count: number;
}

/** Counts the rows of a range in buckets of width `interval`, aligned to `offset`; ascending, without empty ones. */
export type CountBuckets = (range: SequenceRange, interval: number, offset: number) => Promise<Bucket[]>;

const BUCKETS = 1_000;
/** The first count covers this multiple of the width that would suffice if rows were spread evenly. */
const MARGIN = 2;
/** Each further count covers this multiple of the width of the count before. */
const GROWTH = 8;

/**
 * The part with the row that has `rowsBefore` rows before it. `counted`: the list's parts in its order. When no part has it,
 * `passed` is the number of rows of all parts.
 */
export function partOfRow<Part>(
  counted: Iterable<Counted<Part>>,
  rowsBefore: number,
): RowInPart<Part> | { passed: number } {
  let passed = 0;
  for (const { part, rows } of counted) {
    if (passed + rows > rowsBefore) return { part, rows, rowsBefore: rowsBefore - passed };
    passed += rows;
  }
  return { passed };
}

/**
 * Narrows a range, by counting a thousand parts at a time, until at most `maxBefore` of its rows precede the row, or until it is
 * one sequence. Undefined when the range has too few rows. It counts about as many rows as precede the row, not the whole range.
 */
export async function narrowToRow(
  row: RowInPart<SequenceRange>,
  order: Order,
  maxBefore: number,
  countBuckets: CountBuckets,
): Promise<RowInPart<SequenceRange> | undefined> {
  let located = row;
  let share = 0;
  // A single sequence cannot be narrowed, and can have more rows than `maxBefore`, because an action can be several rows.
  while (located.rowsBefore > maxBefore && located.part.end - located.part.start > 1) {
    share = Math.min(1, Math.max(share * GROWTH, (MARGIN * located.rowsBefore) / located.rows));
    const [near, rest] = splitRange(located.part, share, order);
    const interval = Math.max(1, Math.ceil((near.end - near.start) / BUCKETS));
    const buckets = await countBuckets(near, interval, near.start % interval);
    const found = partOfRow(partsOf(buckets, interval, order), located.rowsBefore);
    if ('part' in found) {
      located = { ...found, part: commonSequences(found.part, near) };
      share = 0;
    } else if (share < 1) {
      const { passed } = found;
      located = { part: rest, rows: located.rows - passed, rowsBefore: located.rowsBefore - passed };
    } else return undefined;
  }
  return located;
}

/** The part of a range with which the list begins, and the rest. */
function splitRange({ start, end }: SequenceRange, share: number, order: Order): [SequenceRange, SequenceRange] {
  const width = Math.ceil((end - start) * share);
  const cut = order === 'asc' ? start + width : end - width;
  const [low, high] = [
    { start, end: cut },
    { start: cut, end },
  ];
  return order === 'asc' ? [low, high] : [high, low];
}

/** The parts that buckets of a width count, in the list's order. */
export function partsOf(buckets: readonly Bucket[], interval: number, order: Order): Counted<SequenceRange>[] {
  const parts = buckets.map(({ key, doc_count: rows }) => ({ part: { start: key, end: key + interval }, rows }));
  return order === 'asc' ? parts : parts.reverse();
}

/** The intersection of two ranges. */
export function commonSequences(one: SequenceRange, other: SequenceRange): SequenceRange {
  return { start: Math.max(one.start, other.start), end: Math.min(one.end, other.end) };
}

/** A range from one of its parts on, in the list's order. */
export function fromPartOn(part: SequenceRange, range: SequenceRange, order: Order): SequenceRange {
  return order === 'asc' ? { start: part.start, end: range.end } : { start: range.start, end: part.end };
}
