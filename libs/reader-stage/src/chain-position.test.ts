import type { BlockPosition } from '@antelope-history/schemas';
import type { ShipStatus } from '@antelope-history/ship';
import { ChainPosition, firstBlockOf } from './chain-position';

const block = (num: number, branch = 'a'): BlockPosition => ({ num, id: `${branch}${num}` });
/** The position after the blocks 1 to `last` of branch a. */
function positionAfter(last: number): ChainPosition {
  const position = new ChainPosition();
  for (let num = 1; num <= last; num++) position.passed(block(num));
  return position;
}

/** The position of a reader that starts at what a store has listed. */
function positionOf(numbers: number[], irreversibleNum: number): ChainPosition {
  const position = new ChainPosition();
  const positions = numbers.map((num) => block(num));
  const [committed, lastIrreversible] = [positions.at(-1), block(irreversibleNum)];
  position.restart({ chainId: undefined, committed, lastIrreversible, positions, sequence: 0 });
  return position;
}

const numbersOf = (position: ChainPosition): number[] => position.havePositions(0).map(({ num }) => num);

describe('ChainPosition', () => {
  it('lists the newest blocks one by one and a few down to the first, however long the chain grows', () => {
    const numbers = numbersOf(positionAfter(20_000));
    expect(numbers.slice(-400)).toEqual(Array.from({ length: 400 }, (_, index) => 19_601 + index));
    expect(numbers[0]).toBe(1);
    expect(numbers.length).toBeLessThan(700);
  });

  it('lists no block that the logs of the node do not have', () => {
    expect(positionAfter(9).havePositions(7)).toEqual([block(7), block(8), block(9)]);
  });

  it('distinguishes a fork from a repeated block and drops the blocks that it replaces', () => {
    const position = positionAfter(20);
    expect(position.passed(block(21))).toBe('next');
    expect(position.passed(block(15))).toBe('again');
    expect(position.last).toEqual(block(15));
    expect(position.passed(block(10, 'b'))).toBe('fork');
    expect(position.havePositions(0).slice(-2)).toEqual([block(9), block(10, 'b')]);
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

  it('goes back to the listed block below a fork that begins between two listed blocks', () => {
    const position = positionOf([1, 512, 1024, 1400, 1401], 900);
    expect(position.goesBackTooFew(block(1024, 'b'))).toBe(true);
    expect(position.last).toEqual(block(512));
    expect(position.goesBackTooFew(block(513))).toBe(false);
    expect(position.passed(block(513))).toBe('next');
  });

  it('does not go back further for a block that it has, or whose parent it has', () => {
    const position = positionOf([1, 512, 1024, 1400, 1401], 900);
    expect(position.goesBackTooFew(block(1024))).toBe(false);
    expect(position.goesBackTooFew(block(1401, 'b'))).toBe(false);
    expect(position.goesBackTooFew(block(1402))).toBe(false);
  });

  it('is contradicted by another block at a listed irreversible number', () => {
    const position = positionOf([1, 512, 1024, 1400, 1401], 1024);
    expect(position.contradicts(block(512, 'b'))).toBe(true);
    expect(position.contradicts(block(1024, 'b'))).toBe(true);
    expect(position.contradicts(block(512))).toBe(false);
    expect(position.contradicts(block(600, 'b'))).toBe(false);
    expect(position.contradicts(block(1400, 'b'))).toBe(false);
  });

  it('continues at the committed position of the store', () => {
    const position = positionAfter(20);
    position.restart({ chainId: undefined, committed: block(12), positions: [block(11), block(12)], sequence: 0 });
    expect(numbersOf(position)).toEqual([11, 12]);
    expect(position.passed(block(13))).toBe('next');
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
