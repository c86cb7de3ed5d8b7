import { readPackedTransaction, type TransactionReceipt } from '@antelope-history/ship';
import type { Digest, DigestWriter } from '@antelope-history/records';

/** The leaf of a receipt in a block's tree of transactions (nodeos block.hpp, transaction_receipt::digest). */
export function transactionDigest(receipt: TransactionReceipt, writer: DigestWriter): Digest {
  const { status, cpuUsageUs, netUsageWords, transaction } = receipt;
  const packed = 'packed' in transaction ? packedDigest(transaction.packed, writer) : undefined;
  writer.uint8(status);
  writer.uint32(cpuUsageUs);
  writer.varuint(netUsageWords);
  if (packed !== undefined) writer.latin1(packed);
  else if ('id' in transaction) writer.bytes(Buffer.from(transaction.id, 'hex'));
  return writer.digest();
}

/** The signatures and the context-free data have a digest of their own, so that a node may prune them. */
function packedDigest(packed: Buffer, writer: DigestWriter): Digest {
  const { signatures, compressed, packedContextFreeData, packedTrx } = readPackedTransaction(packed);
  writer.varuint(signatures.length);
  for (const signature of signatures) writer.bytes(signature);
  writer.lengthPrefixed(packedContextFreeData);
  const prunable = writer.digest();
  writer.uint8(compressed ? 1 : 0);
  writer.lengthPrefixed(packedTrx);
  writer.latin1(prunable);
  return writer.digest();
}
