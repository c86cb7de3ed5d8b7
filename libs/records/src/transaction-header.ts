import type { ByteReader } from '@antelope-history/abi';
import { readVaruint } from './read-varuint';
import type { PartialTransaction, TransactionRecord } from './block-records';
import type { RecordWriter } from './record-writer';

/** A transaction record without its actions. */
export type TransactionHeader = Omit<TransactionRecord, 'actions'>;

const ID_BYTES = 32;
const HAS_PARTIAL = 1;

/**
 * Appends a transaction record without its actions: id 32 | varuint receipt index + 1, status, cpu, net, first sequence,
 * sequences | flags u8 | the partial transaction if any. `ownFlags`: bits 1 to 7 of the flags, for the caller's use.
 */
export function writeTransactionHeader(writer: RecordWriter, header: TransactionHeader, ownFlags = 0): void {
  writer.copy(header.id, 0, ID_BYTES);
  writeTransactionFields(writer, header, ownFlags);
}

/** Appends what `writeTransactionHeader` writes after the id. */
export function writeTransactionFields(
  writer: RecordWriter,
  header: Omit<TransactionHeader, 'id'>,
  ownFlags = 0,
): void {
  writer.varuint(header.receiptIndex + 1);
  writer.varuint(header.status);
  writer.varuint(header.cpuUsageUs);
  writer.varuint(header.netUsageWords);
  writer.varuint(header.firstSequence);
  writer.varuint(header.sequenceCount);
  writer.uint8((header.partial ? HAS_PARTIAL : 0) | ownFlags);
  if (header.partial) writePartial(writer, header.partial);
}

/** Reads what `writeTransactionHeader` wrote. Throws `DECODE_FAILED` on bytes that are not a header. */
export function readTransactionHeader(reader: ByteReader): { header: TransactionHeader; ownFlags: number } {
  const id = reader.slice(ID_BYTES);
  const { fields, ownFlags } = readTransactionFields(reader);
  return { header: { id, ...fields }, ownFlags };
}

/** Reads what `writeTransactionFields` wrote. Throws like `readTransactionHeader`. */
export function readTransactionFields(reader: ByteReader): {
  fields: Omit<TransactionHeader, 'id'>;
  ownFlags: number;
} {
  const receiptIndex = readVaruint(reader) - 1;
  const status = readVaruint(reader);
  const cpuUsageUs = readVaruint(reader);
  const netUsageWords = readVaruint(reader);
  const firstSequence = readVaruint(reader);
  const sequenceCount = readVaruint(reader);
  const flags = reader.uint8();
  const partial = flags & HAS_PARTIAL ? readPartial(reader) : undefined;
  return {
    fields: { receiptIndex, status, cpuUsageUs, netUsageWords, firstSequence, sequenceCount, partial },
    ownFlags: flags & ~HAS_PARTIAL,
  };
}

/** The fields of a transaction's header that say which actions it has. */
export type TransactionExtent = Pick<TransactionHeader, 'firstSequence' | 'sequenceCount'> & { ownFlags: number };

/** Reads the extent from what `writeTransactionHeader` wrote, and passes over the rest. Throws like `readTransactionHeader`. */
export function readTransactionExtent(reader: ByteReader): TransactionExtent {
  reader.skip(ID_BYTES);
  for (let field = 0; field < FIELDS_BEFORE_EXTENT; field++) readVaruint(reader);
  const firstSequence = readVaruint(reader);
  const sequenceCount = readVaruint(reader);
  const flags = reader.uint8();
  if (flags & HAS_PARTIAL) readPartial(reader);
  return { firstSequence, sequenceCount, ownFlags: flags & ~HAS_PARTIAL };
}

/** Receipt index, status, cpu and net. */
const FIELDS_BEFORE_EXTENT = 4;

function writePartial(writer: RecordWriter, partial: PartialTransaction): void {
  writer.copy(Buffer.from(partial.id, 'hex'), 0, 32);
  writer.varuint(partial.expiration);
  writer.varuint(partial.refBlockNum);
  writer.varuint(partial.refBlockPrefix);
  writer.varuint(partial.maxNetUsageWords);
  writer.varuint(partial.maxCpuUsageMs);
  writer.varuint(partial.delaySec);
  writer.varuint(partial.signatures.length);
  for (const signature of partial.signatures) writer.lengthPrefixed(signature);
}

function readPartial(reader: ByteReader): PartialTransaction {
  return {
    id: reader.slice(32).toString('hex'),
    expiration: readVaruint(reader),
    refBlockNum: readVaruint(reader),
    refBlockPrefix: readVaruint(reader),
    maxNetUsageWords: readVaruint(reader),
    maxCpuUsageMs: readVaruint(reader),
    delaySec: readVaruint(reader),
    signatures: readMany(reader, () => reader.lengthPrefixed()),
  };
}

/** Reads a count and that many items. A count beyond the data fails with `DECODE_FAILED` at the first missing item. */
export function readMany<T>(reader: ByteReader, read: () => T): T[] {
  const items: T[] = [];
  for (let count = readVaruint(reader); count > 0; count--) items.push(read());
  return items;
}
