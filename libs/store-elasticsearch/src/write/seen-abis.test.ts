import type { BlockRecords } from '@antelope-history/records';
import { EMPTY_BLOCK, SyntheticChain } from '@antelope-history/store/contract';
import { SeenAbis } from './seen-abis';

const EPOCH = 100;
const [TEMPLATE] = new SyntheticChain().blocks(undefined, [EMPTY_BLOCK]);
/** The stream position of the committed head. */
const VIEW = { session: EPOCH, ordinal: EPOCH };

/** The block with a number that the message with a place in an epoch brings. */
function block(num: number, at: number, epoch = EPOCH): BlockRecords {
  return {
    ...(TEMPLATE as BlockRecords),
    position: { num, id: `${num} of ${epoch + at}` },
    streamPosition: { epoch, sequence: epoch + at },
  };
}

/** Adds blocks, each of which sets an ABI of `token` that has the block's place as its hash. */
function seenOf(...nums: number[]): SeenAbis {
  const seen = new SeenAbis();
  for (const [index, num] of nums.entries()) {
    seen.addBlock(block(num, index + 1), VIEW);
    seen.addAbis(block(num, index + 1), { token: `abi ${index + 1}` });
  }
  return seen;
}

describe('the ABIs of seen blocks', () => {
  it('are in force in later blocks of the epoch that are not committed', () => {
    const seen = seenOf(10, 11, 12);
    expect(seen.abiBefore('token', block(12, 3), VIEW)).toBe('abi 2');
    expect(seen.abiBefore('token', block(13, 4), VIEW)).toBe('abi 3');
    expect(seen.abiBefore('other', block(13, 4), VIEW)).toBeUndefined();
    expect(seen.abiBefore('token', block(13, 4, 2 * EPOCH), VIEW)).toBeUndefined();
    expect(seen.abiBefore('token', block(13, 4), { ...VIEW, ordinal: EPOCH + 3 })).toBeUndefined();
  });

  it('give way to those of a block that undoes theirs, and so does what is committed', () => {
    const seen = seenOf(10, 11, 12, 11);
    expect(seen.abiBefore('token', block(12, 5), VIEW)).toBe('abi 4');
    expect(seen.abiBefore('token', block(11, 4), VIEW)).toBe('abi 1');
    expect(seen.committedEnd(block(12, 5), { ...VIEW, ordinal: EPOCH + 3 })).toBe(11);
    expect(seen.committedEnd(block(13, 6), { ...VIEW, ordinal: EPOCH + 4 })).toBe(13);
  });

  it('are those of the newest 2,000 runs of blocks', () => {
    const seen = new SeenAbis();
    const runs = 2_000;
    for (let at = 1; at <= runs; at++) seen.addBlock(block(10 * at, at), VIEW);
    expect(seen.committedEnd(block(99_999_999, runs), VIEW)).toBe(10);
    seen.addBlock(block(10 * runs + 10, runs + 1), VIEW);
    expect(seen.committedEnd(block(99_999_999, runs + 1), VIEW)).toBe(20);
  });

  it('are the newest 1,000, however many each block sets', () => {
    const seen = new SeenAbis();
    for (let at = 1; at <= 600; at++) seen.addAbis(block(at, at), { token: `token ${at}`, other: `other ${at}` });
    expect(seen.abiBefore('token', block(102, 600), VIEW)).toBe('token 101');
    expect(seen.abiBefore('token', block(101, 600), VIEW)).toBeUndefined();
  });
});
