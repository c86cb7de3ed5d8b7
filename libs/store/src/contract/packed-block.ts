import { type BlockRecords, RecordWriter } from '@antelope-history/records';

/** Bytes of a header up to the schedule version, which follows the timestamp. */
const HEADER_BYTES = 8 + 2 + 3 * 32 + 4;
/** A K1 signature with its type tag. */
const SIGNATURE_BYTES = 66;
const EXECUTED = 0;
const PACKED_TRANSACTION = 1;

/**
 * A signed_block (nodeos block.hpp) with a receipt per transaction, whose packed transaction is any bytes: its id is their SHA-256.
 * Everything else of the block is zeros.
 */
export function packBlock({ timestamp }: Pick<BlockRecords, 'timestamp'>, transactions: readonly Buffer[]): Buffer {
  const writer = new RecordWriter(1024);
  writer.uint32(timestamp);
  for (let count = HEADER_BYTES; count > 0; count--) writer.uint8(0);
  const [hasNewProducers, headerExtensions] = [0, 0];
  writer.uint8(hasNewProducers);
  writer.varuint(headerExtensions);
  for (let count = SIGNATURE_BYTES; count > 0; count--) writer.uint8(0);
  writer.varuint(transactions.length);
  for (const transaction of transactions) packReceipt(writer, transaction);
  const blockExtensions = 0;
  writer.varuint(blockExtensions);
  return writer.view(0);
}

function packReceipt(writer: RecordWriter, transaction: Buffer): void {
  const [cpuUsageUs, netUsageWords, signatures, compression, contextFreeBytes] = [100, 12, 0, 0, 0];
  writer.uint8(EXECUTED);
  writer.uint32(cpuUsageUs);
  writer.varuint(netUsageWords);
  writer.uint8(PACKED_TRANSACTION);
  writer.varuint(signatures);
  writer.uint8(compression);
  writer.varuint(contextFreeBytes);
  writer.lengthPrefixed(transaction);
}
