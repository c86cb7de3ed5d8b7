import { createHash, hash, type Hash } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import { ByteReader, readName, readPublicKey } from '@antelope-history/abi';
import { HistoryError } from '@antelope-history/schemas';
import { skipSignature } from './signature';

/**
 * A signed_block, whose parts are decoded on demand. The layout is the chain's own (nodeos
 * libraries/chain/include/eosio/chain/block.hpp, transaction.hpp) and the same from EOSIO 2.0 to Spring 1, so that it does
 * not depend on SHiP's ABI. Byte fields are views of the block. All functions of this file throw `DECODE_FAILED` on bytes
 * of another layout.
 */
export interface SignedBlock extends BlockHeader {
  /** The packed signature with its type tag. */
  producerSignature: Buffer;
  receipts: TransactionReceipt[];
  blockExtensions: Extension[];
}

export interface BlockHeader {
  /** Half-second slots since 2000-01-01. */
  timestamp: number;
  producer: string;
  confirmed: number;
  /** Hex digits, like the Merkle roots. */
  previous: string;
  transactionMroot: string;
  actionMroot: string;
  scheduleVersion: number;
  /** Used before the protocol feature WTMSIG_BLOCK_SIGNATURES, which replaces it with a header extension. */
  newProducers: ProducerSchedule | undefined;
  headerExtensions: Extension[];
}

export interface ProducerSchedule {
  version: number;
  /** Each key has its canonical bytes: the type tag and the packed key. */
  producers: { name: string; key: Buffer }[];
}

export interface Extension {
  type: number;
  data: Buffer;
}

/** A receipt with its packed transaction. For a deferred transaction the block contains the id only. */
export interface TransactionReceipt {
  status: number;
  cpuUsageUs: number;
  netUsageWords: number;
  transaction: { id: string } | { packed: Buffer };
}

export interface PackedTransaction {
  /** Packed signatures, each with its type tag. */
  signatures: Buffer[];
  compressed: boolean;
  /** The bytes in the block, compressed if `compressed` is set; the same holds for `packedTrx`. */
  packedContextFreeData: Buffer;
  packedTrx: Buffer;
}

export interface TransactionHeader {
  /** Seconds since 1970. */
  expiration: number;
  refBlockNum: number;
  refBlockPrefix: number;
  maxNetUsageWords: number;
  maxCpuUsageMs: number;
  delaySec: number;
}

export interface Transaction extends TransactionHeader {
  /** Hex digits. */
  id: string;
  contextFreeActions: Action[];
  actions: Action[];
  extensions: Extension[];
}

export interface Action {
  account: string;
  name: string;
  authorization: { actor: string; permission: string }[];
  data: Buffer;
}

/** nodeos' limit on the inflated size of a compressed field (libraries/chain/transaction.cpp). */
const MAX_INFLATED_BYTES = 1 << 20;

export function readSignedBlock(block: Buffer): SignedBlock {
  const reader = new ByteReader(block);
  const header = readHeader(reader);
  const producerSignature = viewSignature(reader);
  const receipts = readArray(reader, readReceiptBody);
  return { ...header, producerSignature, receipts, blockExtensions: readArray(reader, readExtension) };
}

/** Reads the header only. */
export function readBlockHeader(block: Buffer): BlockHeader {
  return readHeader(new ByteReader(block));
}

/** The bytes of the header, whose digest makes the block id. */
export function headerBytes(block: Buffer): Buffer {
  const reader = new ByteReader(block);
  readHeader(reader);
  return block.subarray(0, reader.offset);
}

/** Reads all receipts; their transactions stay packed. */
export function readReceipts(block: Buffer): TransactionReceipt[] {
  return readArray(readerAtReceipts(block), readReceiptBody);
}

/** Reads one receipt and skips those before it. Throws `DECODE_FAILED` when the block has no receipt of that index. */
export function readReceipt(block: Buffer, index: number): TransactionReceipt {
  const reader = readerAtReceipts(block);
  const count = reader.varuint32();
  if (index < 0 || index >= count) throw corrupt(`no receipt ${index} in a block of ${count}`);
  for (let before = 0; before < index; before++) skipReceipt(reader);
  return readReceiptBody(reader);
}

function readerAtReceipts(block: Buffer): ByteReader {
  const reader = new ByteReader(block);
  readHeader(reader);
  skipSignature(reader);
  return reader;
}

function readHeader(reader: ByteReader): BlockHeader {
  return {
    timestamp: reader.uint32(),
    producer: reader.name(),
    confirmed: reader.uint16(),
    previous: readDigest(reader),
    transactionMroot: readDigest(reader),
    actionMroot: readDigest(reader),
    scheduleVersion: reader.uint32(),
    newProducers: reader.uint8() === 0 ? undefined : readProducerSchedule(reader),
    headerExtensions: readArray(reader, readExtension),
  };
}

function readProducerSchedule(reader: ByteReader): ProducerSchedule {
  const version = reader.uint32();
  const producers = readArray(reader, () => ({ name: reader.name(), key: readPublicKey(reader) }));
  return { version, producers };
}

function readExtension(reader: ByteReader): Extension {
  return { type: reader.uint16(), data: reader.lengthPrefixed() };
}

function readReceiptBody(reader: ByteReader): TransactionReceipt {
  const status = reader.uint8();
  const cpuUsageUs = reader.uint32();
  const netUsageWords = reader.varuint32();
  if (!holdsTransaction(reader)) return { status, cpuUsageUs, netUsageWords, transaction: { id: readDigest(reader) } };
  const start = reader.offset;
  skipPackedTransaction(reader);
  return { status, cpuUsageUs, netUsageWords, transaction: { packed: reader.bytes.subarray(start, reader.offset) } };
}

function skipReceipt(reader: ByteReader): void {
  reader.skip(5);
  reader.varuint32();
  if (holdsTransaction(reader)) skipPackedTransaction(reader);
  else reader.skip(32);
}

/** Reads the tag of a receipt's variant: 0 is an id, 1 a packed_transaction. */
function holdsTransaction(reader: ByteReader): boolean {
  const tag = reader.varuint32();
  if (tag > 1) throw corrupt(`a receipt with the transaction variant ${tag}`);
  return tag === 1;
}

function skipPackedTransaction(reader: ByteReader): void {
  const signatures = reader.varuint32();
  for (let index = 0; index < signatures; index++) skipSignature(reader);
  reader.skip(1);
  reader.lengthPrefixed();
  reader.lengthPrefixed();
}

/** Reads `TransactionReceipt.transaction.packed`; the contents of its byte fields stay packed. */
export function readPackedTransaction(packed: Buffer): PackedTransaction {
  const reader = new ByteReader(packed);
  const signatures = readArray(reader, viewSignature);
  const compression = reader.uint8();
  if (compression > 1) throw corrupt(`a transaction with the compression ${compression}`);
  return {
    signatures,
    compressed: compression === 1,
    packedContextFreeData: reader.lengthPrefixed(),
    packedTrx: reader.lengthPrefixed(),
  };
}

/** Reads the header without the actions. */
export function readTransactionHeader(packed: PackedTransaction): TransactionHeader {
  return readTransactionHeaderFields(new SenderReader(unpackTransaction(packed)));
}

export function readTransaction(packed: PackedTransaction): Transaction {
  const reader = new SenderReader(unpackTransaction(packed));
  const transaction = {
    ...readTransactionHeaderFields(reader),
    contextFreeActions: readArray(reader, readAction),
    actions: readArray(reader, readAction),
    extensions: readArray(reader, readExtension),
  };
  return { id: reader.canonicalHash(), ...transaction };
}

/** The bytes of the transaction itself, inflated if they are compressed: at most 1 MiB then. */
export function unpackTransaction({ packedTrx, compressed }: PackedTransaction): Buffer {
  return inflate(packedTrx, compressed);
}

/** Computes the id, in hex, of what `unpackTransaction` returns, without decoding the actions. */
export function readTransactionId(transaction: Buffer): string {
  const reader = new SenderReader(transaction);
  readTransactionHeaderFields(reader);
  for (const skipElement of [skipAction, skipAction, skipExtension]) skipArray(reader, skipElement);
  return reader.canonicalHash();
}

/** Whether what `unpackTransaction` returns has context-free actions. */
export function hasContextFreeActions(transaction: Buffer): boolean {
  const reader = new SenderReader(transaction);
  readTransactionHeaderFields(reader);
  return reader.varuint32() > 0;
}

/** Reads the actions of a transaction without its id, which takes a hash. */
export function readTransactionActions(packed: PackedTransaction): Pick<Transaction, 'contextFreeActions' | 'actions'> {
  const reader = new SenderReader(unpackTransaction(packed));
  readTransactionHeaderFields(reader);
  return { contextFreeActions: readArray(reader, readAction), actions: readArray(reader, readAction) };
}

/** Reads the contracts of a transaction's actions, context-free ones first, in less than half the time of `readTransactionActions`. */
export function readTransactionAccounts(packed: PackedTransaction): string[] {
  const reader = new SenderReader(unpackTransaction(packed));
  readTransactionHeaderFields(reader);
  const readAccount = (): string => {
    const start = reader.offset;
    skipAction(reader);
    return readName(reader.bytes, start);
  };
  return [...readArray(reader, readAccount), ...readArray(reader, readAccount)];
}

/** Reads the context-free data of a transaction, usually one element per context-free action; empty without data. */
export function readContextFreeData(packed: PackedTransaction): Buffer[] {
  const { packedContextFreeData, compressed } = packed;
  const bytes = packedContextFreeData.length === 0 ? packedContextFreeData : inflate(packedContextFreeData, compressed);
  return bytes.length === 0 ? [] : readArray(new SenderReader(bytes), (reader) => reader.lengthPrefixed());
}

function readTransactionHeaderFields(reader: ByteReader): TransactionHeader {
  return {
    expiration: reader.uint32(),
    refBlockNum: reader.uint16(),
    refBlockPrefix: reader.uint32(),
    maxNetUsageWords: reader.varuint32(),
    maxCpuUsageMs: reader.uint8(),
    delaySec: reader.varuint32(),
  };
}

function readAction(reader: ByteReader): Action {
  return {
    account: reader.name(),
    name: reader.name(),
    authorization: readArray(reader, () => ({ actor: reader.name(), permission: reader.name() })),
    data: reader.lengthPrefixed(),
  };
}

function skipAction(reader: ByteReader): void {
  reader.skip(16);
  reader.skip(16 * reader.varuint32());
  reader.skip(reader.varuint32());
}

function skipExtension(reader: ByteReader): void {
  reader.skip(2);
  reader.skip(reader.varuint32());
}

/** Skips a packed array; throws `DECODE_FAILED` where `readArray` does. */
function skipArray(reader: ByteReader, skipElement: (reader: ByteReader) => void): void {
  const count = reader.varuint32();
  for (let index = 0; index < count; index++) skipElement(reader);
}

function inflate(bytes: Buffer, compressed: boolean): Buffer {
  if (!compressed) return bytes;
  try {
    return inflateSync(bytes, { maxOutputLength: MAX_INFLATED_BYTES });
  } catch (error) {
    throw new HistoryError('DECODE_FAILED', 'a compressed transaction does not inflate', { cause: error });
  }
}

/**
 * Reads bytes that the sender of a transaction packed. The node packs the rest of a block itself, but the sender's bytes may
 * have varuints that are longer than necessary and bytes after the end. nodeos accepts both (fc/io/raw.hpp: at most five
 * bytes, bits above the 32nd are dropped) and hashes the transaction in the form in which it packs it itself.
 */
export class SenderReader extends ByteReader {
  private readonly overlong: { start: number; end: number; value: number }[] = [];

  override varuint32(): number {
    const start = this.offset;
    const value = super.varuint32();
    const end = this.offset;
    if (end - start !== varuint32Size(value)) this.overlong.push({ start, end, value });
    return value;
  }

  override lengthPrefixed(): Buffer {
    return this.slice(this.varuint32());
  }

  /** SHA-256 in hex of all bytes read so far, in the form in which the node packs them. */
  canonicalHash(): string {
    // One call takes half the time, and nearly all transactions are packed in canonical form.
    if (this.overlong.length === 0) return hash('sha256', this.bytes.subarray(0, this.offset));
    const parts = createHash('sha256');
    let done = 0;
    for (const { start, end, value } of this.overlong) {
      parts.update(this.bytes.subarray(done, start));
      updateVaruint32(parts, value);
      done = end;
    }
    return parts.update(this.bytes.subarray(done, this.offset)).digest('hex');
  }
}

function varuint32Size(value: number): number {
  let size = 1;
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) size++;
  return size;
}

function updateVaruint32(hash: Hash, value: number): void {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  hash.update(Buffer.from([...bytes, rest]));
}

/** Reads a packed array: a varuint32 count and its elements. Throws `DECODE_FAILED` when the count exceeds the data. */
export function readArray<T>(reader: ByteReader, readElement: (reader: ByteReader) => T): T[] {
  const count = reader.varuint32();
  // Each element of a block takes at least one byte; a larger count fails before any allocation.
  if (count > reader.remaining()) throw corrupt(`${count} elements in ${reader.remaining()} bytes`);
  const elements: T[] = [];
  for (let index = 0; index < count; index++) elements.push(readElement(reader));
  return elements;
}

function readDigest(reader: ByteReader): string {
  return reader.slice(32).toString('hex');
}

function viewSignature(reader: ByteReader): Buffer {
  const start = reader.offset;
  skipSignature(reader);
  return reader.bytes.subarray(start, reader.offset);
}

function corrupt(what: string): HistoryError {
  return new HistoryError('DECODE_FAILED', `not a signed block: ${what}`);
}
