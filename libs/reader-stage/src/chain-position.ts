import type { SharedProgress } from '@antelope-history/key-value';
import type { BlockPosition } from '@antelope-history/schemas';
import type { ShipStatus } from '@antelope-history/ship';

/** Upper limit of remembered blocks. The last irreversible block is a few hundred behind the head unless producers fail. */
const MAX_KNOWN = 4_000;

/** The blocks of the current branch that the reader has published, oldest first. */
export class ChainPosition {
  private known: BlockPosition[] = [];

  /** Continues at the store's committed position. */
  restart(progress: SharedProgress): void {
    this.known = [...progress.positions];
  }

  get last(): BlockPosition | undefined {
    return this.known.at(-1);
  }

  /**
   * The positions for a blocks request. The node goes back to the first of them that is not on its branch; it sends nothing
   * between the last position that it shares and the first that it does not, so the request needs all of them.
   */
  havePositions(): BlockPosition[] {
    return this.known;
  }

  /** Records a block: the next one, one that was recorded before, or a replacement of an earlier one (a fork). */
  passed(block: BlockPosition, lastIrreversible: BlockPosition): 'next' | 'again' | 'fork' {
    const isBack = this.last !== undefined && block.num <= this.last.num;
    const isAgain = isBack && this.known.findLast(({ num }) => num === block.num)?.id === block.id;
    while (this.last && this.last.num >= block.num) this.known.pop();
    this.known.push(block);
    this.forget(lastIrreversible.num);
    if (!isBack) return 'next';
    return isAgain ? 'again' : 'fork';
  }

  /** Whether blocks are missing between the last recorded block and this one. */
  leavesGap(block: BlockPosition, previous: BlockPosition | undefined): boolean {
    const last = this.last;
    if (!last) return false;
    if (block.num > last.num + 1) return true;
    const parent = this.known.findLast(({ num }) => num === block.num - 1);
    return parent !== undefined && previous !== undefined && parent.id !== previous.id;
  }

  /** Of the irreversible blocks only the newest is needed. */
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
 * The first block to request from a node for an empty store. History is complete only if state deltas begin no later than
 * traces, because the first delta carries the whole state. Traces begin one block later than state (after genesis and after
 * the block of a snapshot); block 1 has neither, but the node serves it.
 */
export function firstBlockOf(status: ShipStatus): number {
  const first = Math.max(status.traceBegin - 1, status.chainStateBegin);
  return first <= 2 ? 1 : first;
}
