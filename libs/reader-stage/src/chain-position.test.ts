import fc from 'fast-check';
import type { BlockPosition } from '@antelope-history/schemas';
import type { ShipStatus } from '@antelope-history/ship';
import { ChainPosition, firstBlockOf } from './chain-position';

const block = (num: number, branch = 'a'): BlockPosition => ({ num, id: `${branch}${num}` });
const NOTHING_IRREVERSIBLE = block(0);

function positionAfter(last: number, lastIrreversible = 0): ChainPosition {
  const position = new ChainPosition();
  for (let num = 1; num <= last; num++) position.passed(block(num), block(lastIrreversible));
  return position;
}

describe('ChainPosition', () => {
  it('lists every reversible block and the last irreversible one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 0, max: 500 }), (last, lastIrreversible) => {
        const numbers = positionAfter(last, lastIrreversible)
          .havePositions()
          .map(({ num }) => num);
        const first = Math.max(1, Math.min(last, lastIrreversible));
        expect(numbers).toEqual(Array.from({ length: last - first + 1 }, (_, index) => first + index));
      }),
    );
  });

  it('remembers at most 4,000 blocks', () => {
    const positions = positionAfter(10_000).havePositions();
    expect(positions.length).toBe(4_000);
    expect(positions.at(-1)).toEqual(block(10_000));
  });

  it('distinguishes a fork from a repeated block and drops the blocks that it replaces', () => {
    const position = positionAfter(20);
    expect(position.passed(block(21), NOTHING_IRREVERSIBLE)).toBe('next');
    expect(position.passed(block(15), NOTHING_IRREVERSIBLE)).toBe('again');
    expect(position.last).toEqual(block(15));
    expect(position.passed(block(10, 'b'), NOTHING_IRREVERSIBLE)).toBe('fork');
    expect(position.havePositions().slice(-2)).toEqual([block(9), block(10, 'b')]);
  });

  it('detects a gap: a missing number, or a parent with another id', () => {
    const position = positionAfter(20);
    expect(position.leavesGap(block(21), block(20))).toBe(false);
    expect(position.leavesGap(block(15, 'b'), block(14))).toBe(false);
    expect(position.leavesGap(block(22), block(21))).toBe(true);
    expect(position.leavesGap(block(21, 'b'), block(20, 'b'))).toBe(true);
    expect(position.leavesGap(block(15, 'b'), block(14, 'b'))).toBe(true);
    expect(new ChainPosition().leavesGap(block(7), block(6))).toBe(false);
  });

  it('continues at the committed position of the store', () => {
    const position = positionAfter(20);
    position.restart({ chainId: undefined, committed: block(12), positions: [block(11), block(12)], sequence: 0 });
    expect(position.havePositions()).toEqual([block(11), block(12)]);
    expect(position.passed(block(13), block(11))).toBe('next');
  });
});

describe('firstBlockOf', () => {
  const status = (traceBegin: number, chainStateBegin: number): ShipStatus => ({
    head: block(99),
    lastIrreversible: block(90),
    traceBegin,
    traceEnd: 100,
    chainStateBegin,
    chainStateEnd: 100,
    chainId: undefined,
  });

  it.each([
    ['a whole chain', 2, 1, 1],
    ['a whole chain of EOSIO 2.0', 2, 2, 1],
    ['a snapshot of block 40', 41, 40, 40],
    ['pruned traces', 71, 40, 70],
    ['no history at all', 0, 0, 1],
  ])('for a node with %s', (_what, traceBegin, chainStateBegin, first) => {
    expect(firstBlockOf(status(traceBegin, chainStateBegin))).toBe(first);
  });
});
