import type { BlockPosition } from '@antelope-history/schemas';
import { readSequence, writeSequence } from './keys';

/** The facts of a committed block that queries need without its body. */
export interface BlockIndexEntry {
  id: string;
  /** Half-second slots since 2000-01-01; 0 when the node sent no block (a snapshot's first message). */
  timestamp: number;
  /** Every action of the block has a sequence in [firstSequence, endSequence). */
  firstSequence: number;
  endSequence: number;
  /** Whether the packed block is stored. */
  hasBlock: boolean;
}

const BYTES = 53;

export function encodeBlockIndexEntry(entry: BlockIndexEntry): Buffer {
  const packed = Buffer.allocUnsafe(BYTES);
  packed.write(entry.id, 0, 'hex');
  packed.writeUInt32BE(entry.timestamp, 32);
  writeSequence(packed, 36, entry.firstSequence);
  writeSequence(packed, 44, entry.endSequence);
  packed.writeUInt8(entry.hasBlock ? 1 : 0, 52);
  return packed;
}

export function decodeBlockIndexEntry(packed: Buffer): BlockIndexEntry {
  return {
    id: packed.toString('hex', 0, 32),
    timestamp: packed.readUInt32BE(32),
    firstSequence: readSequence(packed, 36),
    endSequence: readSequence(packed, 44),
    hasBlock: packed.readUInt8(52) === 1,
  };
}

export function positionOf(num: number, entry: BlockIndexEntry): BlockPosition {
  return { num, id: entry.id };
}
