import { deflateSync } from 'node:zlib';
import type { BlockPosition } from '@antelope-history/schemas';
import { ByteWriter } from './byte-writer';
import { packAction, sha256 } from './ship-encoding';
import type { TransactionSpec } from './specs';

/** A transaction of a block; the layouts are nodeos' own (libraries/chain/include/eosio/chain/block.hpp, transaction.hpp). */
export interface PackedTransaction {
  id: string;
  /** A packed `packed_transaction`; the chain bills its length, compressed or not. */
  packed: Buffer;
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
  const deflate = (bytes: Buffer): Buffer =>
    compressed && bytes.length > 0 ? Buffer.concat([deflateSync(bytes, { level: 9 }), afterStream]) : bytes;
  const packedFree = deflate(freeData);
  const packedTrx = deflate(Buffer.concat([transaction, trailing]));
  const whole = new ByteWriter().varuint(signatures.length).raw(Buffer.concat(signatures));
  const packed = whole
    .uint8(compressed ? 1 : 0)
    .blob(packedFree)
    .blob(packedTrx)
    .take();
  return { id: sha256(transaction), packed };
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
  packed: Buffer;
}

export interface BlockHeader {
  /** Half-second slots since 2000. */
  timestamp: number;
  producer: string;
  previous: string;
}

const PACKED_TRANSACTION = 1;
/** The merkle roots; a reader of state history does not verify them. */
const ROOT = Buffer.alloc(32, 0xab);

/** The block's header alone, which `onblock` carries and whose hash is the block's id. */
export function packHeader({ timestamp, producer, previous }: BlockHeader): Buffer {
  const writer = new ByteWriter().uint32(timestamp).name(producer).uint16(0).hex(previous).raw(ROOT).raw(ROOT);
  return writer.uint32(0).uint8(0).varuint(0).take();
}

/** A packed `signed_block`. */
export function packBlock(header: Buffer, receipts: readonly BlockReceipt[]): Buffer {
  const writer = new ByteWriter().raw(header).raw(SIGNATURE);
  writer.list(receipts, ({ status, cpuUsageUs, netUsageWords, packed }) =>
    writer.uint8(status).uint32(cpuUsageUs).varuint(netUsageWords).varuint(PACKED_TRANSACTION).raw(packed),
  );
  return writer.varuint(0).take();
}

/** The hash of the header; its first four bytes are replaced by the block's number, highest byte first. */
export function blockId(num: number, header: Buffer): string {
  return num.toString(16).padStart(8, '0') + sha256(header).slice(8);
}
