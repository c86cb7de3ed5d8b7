import type { BlockPosition } from '@antelope-history/schemas';

/** A block this far below the node's head is read in a catch-up, not as the chain produces it. */
const FAR_BEHIND_BLOCKS = 1_000;

/** Whether the node's head was far above a block when the node sent it. */
export function isFarBehind({ position, head }: { position: BlockPosition; head: BlockPosition }): boolean {
  return head.num - position.num > FAR_BEHIND_BLOCKS;
}
