import type { SharedProgress } from '@antelope-history/key-value';
import { isListedPosition } from '@antelope-history/records';
import type { BlockPosition } from '@antelope-history/schemas';
import type { ShipStatus } from '@antelope-history/ship';

/** How often, in blocks, the list of known blocks is thinned. */
const THIN_EVERY = 64;

/**
 * The blocks of the current branch that the reader has published or that the store has, oldest first: all of the newest ones,
 * and a few from there to the first block of the store (`isListedPosition`).
 */
export class ChainPosition {
  private known: BlockPosition[] = [];
  private irreversibleNum = 0;

  /** Continues at the store's committed position. */
  restart(progress: SharedProgress): void {
    this.known = [...progress.positions];
    this.irreversibleNum = progress.lastIrreversible?.num ?? 0;
  }

  get last(): BlockPosition | undefined {
    return this.known.at(-1);
  }

  /**
   * The positions for a blocks request to a node whose logs begin at `firstOfNode`. The node begins at the first of these
   * positions that is not on its branch, or that it does not have. It does not send the blocks between the last position that it
   * shares and that one.
   */
  havePositions(firstOfNode: number): BlockPosition[] {
    return this.known.filter(({ num }) => num >= firstOfNode);
  }

  /** Whether a block contradicts a known block that was irreversible when the reader started at the store's position. */
  contradicts(block: BlockPosition): boolean {
    if (block.num > this.irreversibleNum) return false;
    const known = this.at(block.num);
    return known !== undefined && known.id !== block.id;
  }

  /**
   * Whether the node went back to a block whose parent is not listed, so that the fork may begin below, between two listed
   * blocks. In this case, forgets the positions above the lower of the two, so that the next request begins right after it.
   */
  goesBackTooFew(block: BlockPosition): boolean {
    if (!this.last || block.num > this.last.num || this.at(block.num)?.id === block.id || this.at(block.num - 1))
      return false;
    const lower = this.known.findLastIndex(({ num }) => num < block.num);
    if (lower < 0) return false;
    this.known.length = lower + 1;
    return true;
  }

  /** Records a block: the next one, one that was recorded before, or a replacement of an earlier one (a fork). */
  passed(block: BlockPosition): 'next' | 'again' | 'fork' {
    const isBack = this.last !== undefined && block.num <= this.last.num;
    // A lower block whose number is not listed counts as recorded before, because a fork goes back to a listed number.
    const isAgain = isBack && (this.at(block.num) ?? block).id === block.id;
    while (this.last && this.last.num >= block.num) this.known.pop();
    this.known.push(block);
    if (block.num % THIN_EVERY === 0) this.thin(block.num);
    if (!isBack) return 'next';
    return isAgain ? 'again' : 'fork';
  }

  /** Whether blocks are missing between the last recorded block and this one. */
  leavesGap(block: BlockPosition, previous: BlockPosition | undefined): boolean {
    const last = this.last;
    if (!last) return false;
    if (block.num > last.num + 1) return true;
    const parent = this.at(block.num - 1);
    return parent !== undefined && previous !== undefined && parent.id !== previous.id;
  }

  private at(num: number): BlockPosition | undefined {
    return this.known.findLast((known) => known.num === num);
  }

  private thin(head: number): void {
    this.known = this.known.filter(({ num }, index) => index === 0 || isListedPosition(num, head));
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
