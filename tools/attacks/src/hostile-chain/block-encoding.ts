import { zlibSync } from 'fflate';
import type { BlockPosition } from '@antelope-history/schemas';
import { ByteWriter } from './byte-writer';
import { digestOf, packAction } from './ship-encoding';
import type { TransactionSpec } from './specs';

/** A transaction of a block; the layouts are nodeos' own (libraries/chain/include/eosio/chain/block.hpp, transaction.hpp). */
export interface PackedTransaction {
  id: string;
  /** A packed `packed_transaction`; the chain bills its length, compressed or not. */
  packed: Buffer;
  /** The part of `packed` that the receipt's digest covers (transaction.cpp, packed_transaction::packed_digest). */
  digest: Buffer;
}

/** A K1 signature that recovers to some key; no test checks it. */
const SIGNATURE = Buffer.concat([Buffer.from([0, 31]), Buffer.alloc(64, 0x5a)]);

export interface TransactionPlace {
  /** Seconds since 1970. */
  expiration: number;
  /** Makes equal transactions distinct: it is written to the sender's limit on the network use. */
  nonce: number;
  reference: BlockPosition;
}

export function packTransaction(
  spec: TransactionSpec,
  { expiration, nonce, reference }: TransactionPlace,
): PackedTransaction {
  const { contextFreeActions = [], contextFreeData = [], compressed = false, extensions = [] } = spec;
  const { signatures = [SIGNATURE], trailing = EMPTY, afterStream = EMPTY } = spec;
  const writer = new ByteWriter().uint32(expiration).uint16(reference.num & 0xffff);
  writer.uint32(Buffer.from(reference.id, 'hex').readUInt32LE(8));
  writer
    .varuint(100_000 + nonce)
    .uint8(0)
    .varuint(spec.status === 'delayed' ? 3600 : 0);
  writer.list(contextFreeActions, (action) => packAction(writer, action));
  writer.list(spec.actions, (action) => packAction(writer, action));
  writer.list(extensions, ({ type, data }) => writer.uint16(type).blob(data));
  const transaction = writer.take();
  const freeData = contextFreeData.length === 0 ? EMPTY : packBlobs(contextFreeData);
  // Not Node's zlib: its output differs by version, and the ids of all later blocks depend on these bytes.
  const deflate = (bytes: Buffer): Buffer =>
    compressed && bytes.length > 0 ? Buffer.concat([zlibSync(bytes, { level: 9 }), afterStream]) : bytes;
  const packedFree = deflate(freeData);
  const packedTrx = deflate(Buffer.concat([transaction, trailing]));
  const packedSignatures = new ByteWriter().varuint(signatures.length).raw(Buffer.concat(signatures)).take();
  const compression = compressed ? 1 : 0;
  const whole = new ByteWriter().raw(packedSignatures).uint8(compression).blob(packedFree).blob(packedTrx);
  const prunable = new ByteWriter().raw(packedSignatures).blob(packedFree).take();
  const digested = new ByteWriter().uint8(compression).blob(packedTrx).raw(digestOf(prunable));
  return {
    id: digestOf(transaction).toString('hex'),
    packed: whole.take(),
    digest: digestOf(digested.take()),
  };
}

const EMPTY = Buffer.alloc(0);

function packBlobs(blobs: Buffer[]): Buffer {
  const writer = new ByteWriter();
  writer.list(blobs, (blob) => writer.blob(blob));
  return writer.take();
}

export interface BlockReceipt {
  status: number;
  cpuUsageUs: number;
  netUsageWords: number;
  transaction: PackedTransaction;
}

export interface BlockHeader {
  /** Half-second slots since 2000. */
  timestamp: number;
  producer: string;
  previous: string;
  transactionRoot: Buffer;
  actionRoot: Buffer;
}

const PACKED_TRANSACTION = 1;
/** The block's header alone, which `onblock` carries and whose hash is the block's id. */
export function packHeader({ timestamp, producer, previous, transactionRoot, actionRoot }: BlockHeader): Buffer {
  const writer = new ByteWriter().uint32(timestamp).name(producer).uint16(0).hex(previous);
  return writer.raw(transactionRoot).raw(actionRoot).uint32(0).uint8(0).varuint(0).take();
}

/** The digest of a receipt in the tree of transactions (block.hpp, transaction_receipt::digest). */
export function receiptDigest({ status, cpuUsageUs, netUsageWords, transaction }: BlockReceipt): Buffer {
  const writer = new ByteWriter().uint8(status).uint32(cpuUsageUs).varuint(netUsageWords).raw(transaction.digest);
  return digestOf(writer.take());
}

/** The root of a tree before Savanna (libraries/chain/merkle.cpp); written apart from the service's own code, which it tests. */
export function merkleRoot(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return Buffer.alloc(32);
  if (leaves.length === 1) return leaves[0] as Buffer;
  const parents = Array.from({ length: Math.ceil(leaves.length / 2) }, (_, index) => {
    const left = leaves[2 * index] as Buffer;
    const pair = Buffer.concat([left, leaves[2 * index + 1] ?? left]);
    pair.writeUInt8(pair.readUInt8(0) & 0x7f, 0);
    pair.writeUInt8(pair.readUInt8(32) | 0x80, 32);
    return digestOf(pair);
  });
  return merkleRoot(parents);
}

/** A packed `signed_block`. */
export function packBlock(header: Buffer, receipts: readonly BlockReceipt[]): Buffer {
  const writer = new ByteWriter().raw(header).raw(SIGNATURE);
  writer.list(receipts, ({ status, cpuUsageUs, netUsageWords, transaction }) =>
    writer.uint8(status).uint32(cpuUsageUs).varuint(netUsageWords).varuint(PACKED_TRANSACTION).raw(transaction.packed),
  );
  return writer.varuint(0).take();
}

/** The hash of the header; its first four bytes are replaced by the block's number, highest byte first. */
export function blockId(num: number, header: Buffer): string {
  return num.toString(16).padStart(8, '0') + digestOf(header).toString('hex').slice(8);
}
