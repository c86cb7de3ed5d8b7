import { ByteReader } from '@antelope-history/abi';
import {
  readTransactionHeader,
  RecordWriter,
  writeTransactionHeader,
  type TransactionHeader,
} from '@antelope-history/records';

const BYTES_EACH = 64;

/** Packs a block's transactions without their actions, one after another. */
export function encodeTransactionRecords(transactions: readonly TransactionHeader[]): Buffer {
  const writer = new RecordWriter(transactions.length * BYTES_EACH);
  for (const transaction of transactions) writeTransactionHeader(writer, transaction);
  return writer.view(0);
}

/** Decodes them in the same order. Throws `DECODE_FAILED` for malformed bytes. */
export function decodeTransactionRecords(bytes: Buffer): TransactionHeader[] {
  const reader = new ByteReader(bytes);
  const transactions: TransactionHeader[] = [];
  while (reader.remaining() > 0) transactions.push(readTransactionHeader(reader).header);
  return transactions;
}
