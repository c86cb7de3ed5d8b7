import type { BlockRecords } from '@antelope-history/records';
import { type BlockPosition, HistoryError } from '@antelope-history/schemas';

/**
 * Whether a later message was written before: the broker delivers a message again when its acknowledgement was lost, also after
 * messages of another branch. Blocks that no reader has sent have the sequence 0.
 */
export function isOvertaken({ streamPosition: { sequence } }: BlockRecords, written: number): boolean {
  return sequence > 0 && sequence <= written;
}

/** Throws `BLOCK_GAP` unless the block is the next one of the committed head's branch. */
export function assertFollows(block: BlockRecords, tip: BlockPosition | undefined): void {
  if (!tip) return;
  if (block.position.num === tip.num + 1 && block.previous?.id === tip.id) return;
  throw new HistoryError(
    'BLOCK_GAP',
    `block ${block.position.num} follows ${block.previous?.id ?? 'nothing'}, the committed head is ${tip.num} ${tip.id}`,
  );
}
