/*
 * Which part of a long list holds the row that stands so many rows from its beginning, found by counting the rows of parts
 * instead of passing over them. Pure; `action-place.ts` gets the counts.
 */

/** Sequences from `start` to below `end`. */
export interface SequenceRange {
  start: number;
  end: number;
}

export type Order = 'asc' | 'desc';

/** Rows of a part of a list. */
export interface Counted<Part> {
  part: Part;
  rows: number;
}

/** A part of a list that holds a row, and how many of the part's rows stand before it. */
export interface RowInPart<Part> extends Counted<Part> {
  rowsBefore: number;
}

/** A bucket of the server's `histogram`: how many rows have sequences from `key` to below `key + interval`. */
export interface Bucket {
  key: number;
  doc_count: number;
}

/** Counts the rows of a range by buckets that begin at `offset` and every `interval` from there; ascending, none empty. */
export type CountBuckets = (range: SequenceRange, interval: number, offset: number) => Promise<Bucket[]>;

const BUCKETS = 1_000;
/** Rows do not lie evenly: so much more than what would hold the row if they did is counted at first, */
const MARGIN = 2;
/** and so many times more each time the row is not there. */
const GROWTH = 8;

/**
 * The part that holds the row with so many rows before it. `counted`: the list's parts in its order. When none holds it,
 * `passed` are the rows of all.
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
 * Narrows the range of a list down to where at most `maxBefore` rows stand before the row, by counting a thousand parts at a
 * time; undefined when the range has not so many rows. What is counted is about what lies before the row, not all the range.
 */
export async function narrowToRow(
  row: RowInPart<SequenceRange>,
  order: Order,
  maxBefore: number,
  countBuckets: CountBuckets,
): Promise<RowInPart<SequenceRange> | undefined> {
  let place = row;
  let share = 0;
  while (place.rowsBefore > maxBefore) {
    share = Math.min(1, Math.max(share * GROWTH, (MARGIN * place.rowsBefore) / place.rows));
    const [near, rest] = splitRange(place.part, share, order);
    const interval = Math.max(1, Math.ceil((near.end - near.start) / BUCKETS));
    const buckets = await countBuckets(near, interval, near.start % interval);
    const found = partOfRow(partsOf(buckets, interval, order), place.rowsBefore);
    if ('part' in found) {
      place = { ...found, part: common(found.part, near) };
      share = 0;
    } else if (share < 1) {
      const { passed } = found;
      place = { part: rest, rows: place.rows - passed, rowsBefore: place.rowsBefore - passed };
    } else return undefined;
  }
  return place;
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

function partsOf(buckets: readonly Bucket[], interval: number, order: Order): Counted<SequenceRange>[] {
  const parts = buckets.map(({ key, doc_count: rows }) => ({ part: { start: key, end: key + interval }, rows }));
  return order === 'asc' ? parts : parts.reverse();
}

/** What two ranges have in common. */
export function common(one: SequenceRange, other: SequenceRange): SequenceRange {
  return { start: Math.max(one.start, other.start), end: Math.min(one.end, other.end) };
}

/** A range without what comes before one of its parts in the list's order. */
export function fromPartOn(part: SequenceRange, range: SequenceRange, order: Order): SequenceRange {
  return order === 'asc' ? { start: part.start, end: range.end } : { start: range.start, end: part.end };
}
