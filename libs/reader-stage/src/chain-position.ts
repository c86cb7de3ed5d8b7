import type { BlockPosition } from '@antelope-history/records';
import type { ShipStatus } from '@antelope-history/ship';
import type { SharedProgress } from '@antelope-history/key-value';

/** Blocks that stay known at most: a node's last irreversible block is a few hundred behind, unless producers fail. */
const MAX_KNOWN = 4_000;

/** Which blocks of which branch the reader has passed on, newest last. */
export class ChainPosition {
  private known: BlockPosition[] = [];

  /** Goes on where the store stands. */
  restart(progress: SharedProgress): void {
    this.known = [...progress.positions];
  }

  get last(): BlockPosition | undefined {
    return this.known.at(-1);
  }

  /**
   * What to tell the node: it goes back to the first of them that is not on its branch. All of them, as it sends
   * nothing of what lies between the last that it shares and the first that it does not.
   */
  havePositions(): BlockPosition[] {
    return this.known;
  }

  /** Notes a block: one that follows the last, one that came before, or another in the place of an earlier (a fork). */
  passed(block: BlockPosition, lastIrreversible: BlockPosition): 'next' | 'again' | 'fork' {
    const isBack = this.last !== undefined && block.num <= this.last.num;
    const isAgain = isBack && this.known.findLast(({ num }) => num === block.num)?.id === block.id;
    while (this.last && this.last.num >= block.num) this.known.pop();
    this.known.push(block);
    this.forget(lastIrreversible.num);
    if (!isBack) return 'next';
    return isAgain ? 'again' : 'fork';
  }

  /** Whether the node left something out between the last block and this one. */
  leavesGap(block: BlockPosition, previous: BlockPosition | undefined): boolean {
    const last = this.last;
    if (!last) return false;
    if (block.num > last.num + 1) return true;
    const parent = this.known.findLast(({ num }) => num === block.num - 1);
    return parent !== undefined && previous !== undefined && parent.id !== previous.id;
  }

  /** Of the irreversible blocks only the newest is worth knowing. */
  private forget(lastIrreversible: number): void {
    const firstReversible = this.known.findIndex(({ num }) => num > lastIrreversible);
    const drop = Math.max(
      (firstReversible < 0 ? this.known.length : firstReversible) - 1,
      this.known.length - MAX_KNOWN,
    );
    if (drop > 0) this.known.splice(0, drop);
  }
}

/**
 * The first block to ask of a node that nothing was read from. History is whole only if state deltas begin no later
 * than traces: the first of them carry the whole state. Traces begin one block later than state (after genesis, and
 * after the block of a snapshot); block 1 has neither and is there all the same.
 */
export function firstBlockOf(status: ShipStatus): number {
  const first = Math.max(status.traceBegin - 1, status.chainStateBegin);
  return first <= 2 ? 1 : first;
}
