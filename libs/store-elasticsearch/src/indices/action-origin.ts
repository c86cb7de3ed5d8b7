import { HistoryError } from '@antelope-history/schemas';

/** The block and the transaction of an action. */
export interface ActionOrigin {
  blockNum: number;
  /** In hex. */
  block: string;
  /** Half-second slots since 2000-01-01. */
  timestamp: number;
  /** The sequence that the packed records of the transaction count from. */
  firstSequence: number;
  /** The transaction's id, 32 bytes. */
  transaction: Buffer;
}

/*
 * The packed form, in base64: block number u32 | block id 32 | timestamp u32 | first sequence u64 | transaction id 32; numbers are big
 * endian. It begins with what most actions share: the server keeps doc values sorted and leaves out what one shares with the one before.
 */
const BLOCK_AT = 4;
const TIMESTAMP_AT = 36;
const FIRST_SEQUENCE_AT = 40;
const TRANSACTION_AT = 48;
const PACKED_BYTES = 80;
const HALF = 2 ** 32;

export function encodeOrigin({ blockNum, block, timestamp, firstSequence, transaction }: ActionOrigin): string {
  const packed = Buffer.alloc(PACKED_BYTES);
  packed.writeUInt32BE(blockNum, 0);
  packed.write(block, BLOCK_AT, 'hex');
  packed.writeUInt32BE(timestamp, TIMESTAMP_AT);
  packed.writeUInt32BE(Math.floor(firstSequence / HALF), FIRST_SEQUENCE_AT);
  packed.writeUInt32BE(firstSequence % HALF, FIRST_SEQUENCE_AT + 4);
  transaction.copy(packed, TRANSACTION_AT);
  return packed.toString('base64');
}

/** Throws `DECODE_FAILED` on a text that is not an origin. */
export function decodeOrigin(text: string): ActionOrigin {
  const packed = Buffer.from(text, 'base64');
  if (packed.length !== PACKED_BYTES) throw new HistoryError('DECODE_FAILED', 'the origin of an action is malformed');
  return {
    blockNum: packed.readUInt32BE(0),
    block: packed.toString('hex', BLOCK_AT, TIMESTAMP_AT),
    timestamp: packed.readUInt32BE(TIMESTAMP_AT),
    firstSequence: packed.readUInt32BE(FIRST_SEQUENCE_AT) * HALF + packed.readUInt32BE(FIRST_SEQUENCE_AT + 4),
    transaction: packed.subarray(TRANSACTION_AT),
  };
}
