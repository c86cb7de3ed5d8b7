import { HistoryError, type BlockPosition } from '@antelope-history/schemas';

/** Where a stream continues: after a block, or after one of its actions. */
export interface StreamCursor {
  block: BlockPosition;
  /**
   * Global sequence of the contract's receipt of the last action that was sent; undefined when all actions of the block were
   * sent.
   */
  sequence: number | undefined;
  /** The last irreversible block at that time: an ancestor of whatever branch is committed later. */
  irreversibleNum: number;
}

const FORM = /^([0-9a-f]{64})\.(all|\d{1,16})\.(\d{1,10})$/;

export function writeCursor({ block, sequence, irreversibleNum }: StreamCursor): string {
  return `${block.id}.${sequence ?? 'all'}.${irreversibleNum}`;
}

/**
 * Throws `INVALID_REQUEST`, which names the header or parameter `field`, unless the text has the form of an event's id. The block
 * may not exist: a client can send any id.
 */
export function parseCursor(field: string, text: string): StreamCursor {
  const [, id, sequence, irreversible] = FORM.exec(text) ?? [];
  if (id === undefined) throw new HistoryError('INVALID_REQUEST', `${field}: send the id of an event as it came`);
  return {
    // A block's id begins with its number (nodeos block_header.cpp, calculate_id).
    block: { num: parseInt(id.slice(0, 8), 16), id },
    sequence: sequence === 'all' ? undefined : Number(sequence),
    irreversibleNum: Number(irreversible),
  };
}
