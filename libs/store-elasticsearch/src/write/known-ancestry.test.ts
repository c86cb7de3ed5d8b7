import type { BlockRecords } from '@antelope-history/records';
import { EMPTY_BLOCK, SyntheticChain } from '@antelope-history/store/contract';
import { emptyProgress } from '../indices/progress';
import type { ProgressDocument } from '../indices/documents';
import { KnownAncestry } from './known-ancestry';

const made = new SyntheticChain();
const CHAIN = made.blocks(undefined, Array(8).fill(EMPTY_BLOCK));
const FORK = made.blocks(CHAIN[3], Array(3).fill(EMPTY_BLOCK));

/** A progress with the blocks of a branch, of which those up to an index are clean. */
function committed(branch: readonly BlockRecords[], cleanUpTo = 0): ProgressDocument {
  const positions = branch.map(({ position }) => position);
  return {
    ...emptyProgress(100),
    committed: positions.at(-1),
    clean_up_to: positions[cleanUpTo]?.num ?? 0,
    branch: positions.slice(cleanUpTo),
  };
}

function block(index: number): BlockRecords {
  return CHAIN[index] as BlockRecords;
}

function fork(index: number): BlockRecords {
  return FORK[index] as BlockRecords;
}

describe('the known ancestry', () => {
  const atTwo = committed(CHAIN.slice(0, 2));

  it('begins at a committed block and goes on with each block that follows', () => {
    const ancestry = new KnownAncestry();
    expect(ancestry.add(block(2), atTwo)).toEqual(block(1).position);
    expect(ancestry.add(block(3), atTwo)).toEqual(block(1).position);
    expect(ancestry.add(block(3), atTwo)).toEqual(block(1).position);
  });

  it('does not begin at a block whose parent is not committed', () => {
    const ancestry = new KnownAncestry();
    expect(ancestry.add(block(0), emptyProgress(100))).toBeUndefined();
    expect(ancestry.add(block(3), atTwo)).toBeUndefined();
    expect(ancestry.add(block(4), atTwo)).toBeUndefined();
    expect(ancestry.add(block(5), committed(CHAIN.slice(0, 5)))).toEqual(block(4).position);
  });

  it('ends where a block is missing', () => {
    const ancestry = new KnownAncestry();
    ancestry.add(block(2), atTwo);
    expect(ancestry.add(block(4), atTwo)).toBeUndefined();
  });

  it('names the ABIs of the blocks before a number, without those that a fork undoes', () => {
    const ancestry = new KnownAncestry();
    for (const [index, hash] of [
      [2, 'a'],
      [3, 'b'],
      [4, 'c'],
    ] as const) {
      ancestry.add(block(index), atTwo);
      ancestry.addAbis(block(index).position, { alice: hash });
      ancestry.addAbis(block(index).position, { alice: hash });
    }
    expect(ancestry.abiBelow('alice', block(2).position.num)).toBeUndefined();
    expect(ancestry.abiBelow('alice', block(4).position.num)).toBe('b');
    expect(ancestry.abiBelow('alice', block(5).position.num)).toBe('c');
    expect(ancestry.abiBelow('bob', block(5).position.num)).toBeUndefined();
    expect(ancestry.add(fork(0), atTwo)).toEqual(block(1).position);
    expect(ancestry.add(fork(1), atTwo)).toEqual(block(1).position);
    expect(ancestry.abiBelow('alice', fork(1).position.num)).toBe('b');
    expect(ancestry.add(block(5), atTwo)).toBeUndefined();
  });

  it('moves its root with the committed block', () => {
    const ancestry = new KnownAncestry();
    ancestry.add(block(2), atTwo);
    ancestry.addAbis(block(2).position, { alice: 'a' });
    ancestry.add(block(3), atTwo);
    ancestry.addAbis(block(3).position, { alice: 'b' });
    expect(ancestry.add(block(4), committed(CHAIN.slice(0, 3)))).toEqual(block(2).position);
    expect(ancestry.abiBelow('alice', block(3).position.num)).toBeUndefined();
    expect(ancestry.abiBelow('alice', block(4).position.num)).toBe('b');
  });

  it('ends when a fork has replaced its root, and stays when the root is only no longer listed', () => {
    const ancestry = new KnownAncestry();
    const atFive = committed(CHAIN.slice(0, 5));
    expect(ancestry.add(block(5), atFive)).toEqual(block(4).position);
    expect(ancestry.add(block(6), committed([...CHAIN.slice(0, 4), ...FORK]))).toBeUndefined();
    const other = new KnownAncestry();
    expect(other.add(block(2), atTwo)).toEqual(block(1).position);
    const ahead = made.blocks(block(7), Array(3).fill(EMPTY_BLOCK));
    expect(other.add(block(3), committed([...CHAIN, ...ahead], 8))).toEqual(block(1).position);
  });
});
