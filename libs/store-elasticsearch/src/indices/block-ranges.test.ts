import fc from 'fast-check';
import { rangeLast, type RangeLayout, rangeStart, rangeStarts } from './block-ranges';

const LAYOUT: RangeLayout = { blocks_per_index: 100, ranges: { starts: [130, 131, 199, 250] } };

/** Layouts with starts in any place, also at multiples and at 0. */
const layouts = fc
  .record({ blocksPerIndex: fc.integer({ min: 1, max: 50 }), starts: fc.uniqueArray(fc.integer({ min: 0, max: 300 })) })
  .map(({ blocksPerIndex, starts }): RangeLayout => {
    return { blocks_per_index: blocksPerIndex, ranges: { starts: starts.sort((one, other) => one - other) } };
  });

describe('the ranges of blocks', () => {
  it('have the same number of blocks in a store that lists no starts', () => {
    const layout = { blocks_per_index: 100 };
    expect([0, 99, 100, 4_294_967_295].map((num) => [rangeStart(num, layout), rangeLast(num, layout)])).toEqual([
      [0, 99],
      [0, 99],
      [100, 199],
      [4_294_967_200, 4_294_967_299],
    ]);
  });

  it.each([
    [99, 0, 99],
    [100, 100, 129],
    [129, 100, 129],
    [130, 130, 130],
    [131, 131, 198],
    [199, 199, 199],
    [200, 200, 249],
    [299, 250, 299],
    [300, 300, 399],
  ])('of block %i: from %i to %i', (num, first, last) => {
    expect([rangeStart(num, LAYOUT), rangeLast(num, LAYOUT)]).toEqual([first, last]);
  });

  it('follow each other without a gap, and begin at every multiple and every listed start', () => {
    fc.assert(
      fc.property(layouts, fc.nat(400), fc.nat(400), (layout, first, length) => {
        const last = first + length;
        const found = rangeStarts({ first, last }, layout);
        const blocks = Array.from({ length: length + 1 }, (_, index) => first + index);
        const begins = (num: number): boolean =>
          num % layout.blocks_per_index === 0 || (layout.ranges?.starts ?? []).includes(num);
        expect(found).toEqual([...new Set(blocks.map((num) => rangeStart(num, layout)))]);
        expect(found.filter((start) => start >= first)).toEqual(blocks.filter(begins));
        for (const num of blocks) {
          expect(rangeLast(num, layout) === num).toBe(begins(num + 1));
          expect(begins(rangeStart(num, layout))).toBe(true);
        }
      }),
    );
  });
});
