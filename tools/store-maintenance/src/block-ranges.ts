/** First and last block number. */
export type BlockRange = [first: number, last: number];

/** A set of block numbers, kept as ranges: a damaged disk makes long runs of blocks wrong. */
export class BlockRanges {
  /** Ascending, without common or adjacent blocks. */
  readonly ranges: BlockRange[];

  constructor(ranges: readonly BlockRange[] = []) {
    this.ranges = ranges.map(([first, last]) => [first, last]);
  }

  get count(): number {
    return this.ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  }

  add(num: number): void {
    let at = this.ranges.length;
    while (at > 0 && (this.ranges[at - 1] as BlockRange)[0] > num) at--;
    const before = this.ranges[at - 1];
    const after = this.ranges[at];
    if (before && num <= before[1]) return;
    const joins = { before: before?.[1] === num - 1, after: after?.[0] === num + 1 };
    const first = joins.before && before ? before[0] : num;
    const last = joins.after && after ? after[1] : num;
    this.ranges.splice(joins.before ? at - 1 : at, Number(joins.before) + Number(joins.after), [first, last]);
  }

  *[Symbol.iterator](): Generator<number> {
    for (const [first, last] of this.ranges) for (let num = first; num <= last; num++) yield num;
  }
}
