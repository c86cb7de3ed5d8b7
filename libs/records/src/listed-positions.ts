/** Blocks up to this far below the head are listed one by one: forks are rarely deeper. */
const DENSE_BLOCKS = 400;
/** Further below, so many blocks are listed each time that the distance doubles. */
const BLOCKS_PER_DOUBLING = 16;

/**
 * Whether a block is one of the positions that a reader tells a node, on a chain with the head `head`. A block that is not
 * listed for a head is not listed for a higher one, so a list can be thinned as the chain grows.
 */
export function isListedPosition(num: number, head: number): boolean {
  return num % spacingAt(head - num) === 0;
}

/** The numbers of all listed blocks from `first`, which is always listed, to `head`, ascending. */
export function listedNumbers(first: number, head: number): number[] {
  const numbers: number[] = [];
  for (let num = head; num > first;) {
    if (isListedPosition(num, head)) numbers.push(num);
    const below = num - 1;
    const spacing = spacingAt(head - below);
    num = below - (below % spacing);
  }
  if (first <= head) numbers.push(first);
  return numbers.reverse();
}

/** A power of two, so that a multiple of a larger spacing is a multiple of each smaller one. */
function spacingAt(distance: number): number {
  return distance <= DENSE_BLOCKS ? 1 : 2 ** Math.floor(Math.log2(distance / BLOCKS_PER_DOUBLING));
}
