import { ByteReader, readPublicKey, readSignature } from '@antelope-history/abi';
import { HistoryError } from '@antelope-history/schemas';

/** What a block's receipt says besides the transaction itself. */
export interface ReceiptHeader {
  status: number;
  cpuUsageUs: number;
  netUsageWords: number;
  /** False for a deferred transaction, of which the block has the id only. */
  hasPackedTransaction: boolean;
}

/** timestamp, producer, confirmed, previous, transaction_mroot, action_mroot, schedule_version. */
const FIXED_HEADER_BYTES = 4 + 8 + 2 + 32 + 32 + 32 + 4;

/**
 * Reads the headers of a packed signed_block's receipts and passes over everything else. The layout is the chain's
 * own and the same in EOSIO 2.0 to Spring 1 (nodeos libraries/chain/include/eosio/chain/block.hpp).
 */
export function readReceiptHeaders(block: Buffer): ReceiptHeader[] {
  const reader = new ByteReader(block);
  skipHeader(reader);
  const count = reader.varuint32();
  if (count > reader.remaining()) throw new HistoryError('DECODE_FAILED', `a block of ${count} transactions`);
  const receipts: ReceiptHeader[] = [];
  for (let index = 0; index < count; index++) {
    const status = reader.uint8();
    const cpuUsageUs = reader.uint32();
    const netUsageWords = reader.varuint32();
    const hasPackedTransaction = reader.uint8() === 1;
    if (hasPackedTransaction) skipPackedTransaction(reader);
    else reader.skip(32);
    receipts.push({ status, cpuUsageUs, netUsageWords, hasPackedTransaction });
  }
  return receipts;
}

function skipHeader(reader: ByteReader): void {
  reader.skip(FIXED_HEADER_BYTES);
  if (reader.uint8() !== 0) {
    reader.skip(4);
    const producers = reader.varuint32();
    for (let index = 0; index < producers; index++) {
      reader.skip(8);
      readPublicKey(reader);
    }
  }
  const extensions = reader.varuint32();
  for (let index = 0; index < extensions; index++) {
    reader.skip(2);
    reader.lengthPrefixed();
  }
  readSignature(reader);
}

function skipPackedTransaction(reader: ByteReader): void {
  const signatures = reader.varuint32();
  for (let index = 0; index < signatures; index++) readSignature(reader);
  reader.skip(1);
  reader.lengthPrefixed();
  reader.lengthPrefixed();
}
