import { ByteReader } from '@antelope-history/abi';
import {
  type Digest,
  DIGEST_BYTES,
  digestOf,
  readMany,
  readTransactionFields,
  readTransactionHeader,
  readVaruint,
  RecordWriter,
  type TransactionHeader,
  writeTransactionFields,
} from '@antelope-history/records';
import { hasErrorCode, HistoryError } from '@antelope-history/schemas';
import { readPackedTransaction, readReceipts, type TransactionReceipt } from '@antelope-history/ship';
import { ID_DIGITS } from './directory';

/** What a node recorded of a block's execution, besides the actions. */
export interface BlockExecution {
  /** See `StoredBlock.rootSequences` of `@antelope-history/store`. */
  rootSequences: number[][];
  /** In the order of the block. */
  transactions: readonly TransactionHeader[];
}

/*
 * The packed form:
 *   root sequences: varuint receipts | per receipt varuint n, n × (varuint 1 + how far it is above the one before it, or 0 and
 *     varuint the sequence)
 *   | per transaction: its fields (`writeTransactionFields`, with DERIVED_ID) | its id 32, or the first KEPT_BYTES of it
 *
 * Ids cannot be compressed. A transaction that the block contains has its digest as its id, so that the id follows from the block.
 * The bytes that are kept are those that the directory lists, and show a damaged block.
 */

/** The flag of a transaction whose id follows from the block. */
const DERIVED_ID = 2;
/** Bytes of an id that are kept where it follows from the block. */
const KEPT_BYTES = ID_DIGITS / 2;
const BYTES_EACH = 32;

/** Packs the execution of `block`, a packed signed_block. */
export function encodeExecution({ rootSequences, transactions }: BlockExecution, block: Buffer): Buffer {
  const writer = new RecordWriter(BYTES_EACH * (rootSequences.length + transactions.length));
  writeRootSequences(writer, rootSequences);
  const ids = new BlockIds(block);
  for (const transaction of transactions) {
    const isDerived = ids.of(transaction.receiptIndex) === transaction.id.toString('latin1');
    writeTransactionFields(writer, transaction, isDerived ? DERIVED_ID : 0);
    writer.copy(transaction.id, 0, isDerived ? KEPT_BYTES : DIGEST_BYTES);
  }
  return writer.view(0);
}

/**
 * Decodes what `encodeExecution` packed of the same block. Throws `DECODE_FAILED` for malformed bytes, and when an id that follows
 * from the block is not the one that it had when it was packed.
 */
export function decodeExecution(bytes: Buffer, block: Buffer): BlockExecution {
  const reader = new ByteReader(bytes);
  const rootSequences = readRootSequences(reader);
  return { rootSequences, transactions: readTransactions(reader, block, () => true) };
}

/** Decodes the root sequences alone: the ids of all transactions take a hash each. Throws like `decodeExecution`. */
export function decodeRootSequences(bytes: Buffer): number[][] {
  return readRootSequences(new ByteReader(bytes));
}

/**
 * Decodes the transactions whose ids begin with these hex digits. A transaction whose id begins with others is not hashed. Throws like
 * `decodeExecution`.
 */
export function decodeTransactionsOf(bytes: Buffer, block: Buffer, idPrefix: string): TransactionHeader[] {
  const reader = new ByteReader(bytes);
  readRootSequences(reader);
  const beginsLikeIt = (kept: Buffer): boolean => kept.toString('hex').startsWith(idPrefix.slice(0, 2 * kept.length));
  return readTransactions(reader, block, beginsLikeIt).filter(({ id }) => id.toString('hex').startsWith(idPrefix));
}

/** What the directory lists of a transaction; `id` may be its first `ID_DIGITS` only. */
export type ListedTransaction = Pick<TransactionHeader, 'id' | 'firstSequence' | 'sequenceCount'>;

/** Decodes what the directory lists of all transactions, without the block. Throws `DECODE_FAILED` for malformed bytes. */
export function decodeListed(bytes: Buffer): ListedTransaction[] {
  const reader = new ByteReader(bytes);
  readRootSequences(reader);
  const listed: ListedTransaction[] = [];
  while (reader.remaining() > 0) {
    const { fields, kept } = readTransaction(reader);
    listed.push({ id: kept, firstSequence: fields.firstSequence, sequenceCount: fields.sequenceCount });
  }
  return listed;
}

/** Decodes the transactions of a document of a format before 5: each with its whole id. Throws `DECODE_FAILED` for malformed bytes. */
export function decodeTransactionRecords(bytes: Buffer): TransactionHeader[] {
  const reader = new ByteReader(bytes);
  const transactions: TransactionHeader[] = [];
  while (reader.remaining() > 0) transactions.push(readTransactionHeader(reader).header);
  return transactions;
}

/** Reads the transactions that `isWanted` accepts by what is kept of their ids. */
function readTransactions(
  reader: ByteReader,
  block: Buffer,
  isWanted: (keptOfId: Buffer) => boolean,
): TransactionHeader[] {
  const ids = new BlockIds(block);
  const transactions: TransactionHeader[] = [];
  while (reader.remaining() > 0) {
    const { fields, isDerived, kept } = readTransaction(reader);
    if (!isWanted(kept)) continue;
    transactions.push({ id: isDerived ? ids.derived(fields.receiptIndex, kept) : kept, ...fields });
  }
  return transactions;
}

function readTransaction(reader: ByteReader): {
  fields: Omit<TransactionHeader, 'id'>;
  isDerived: boolean;
  /** Its id, or the beginning of one that follows from the block. */
  kept: Buffer;
} {
  const { fields, ownFlags } = readTransactionFields(reader);
  const isDerived = (ownFlags & DERIVED_ID) !== 0;
  return { fields, isDerived, kept: reader.slice(isDerived ? KEPT_BYTES : DIGEST_BYTES) };
}

function writeRootSequences(writer: RecordWriter, rootSequences: readonly number[][]): void {
  let previous = 0;
  writer.varuint(rootSequences.length);
  for (const sequences of rootSequences) {
    writer.varuint(sequences.length);
    for (const sequence of sequences) {
      const above = sequence - previous;
      if (above >= 0 && above < Number.MAX_SAFE_INTEGER) writer.varuint(above + 1);
      else {
        writer.varuint(0);
        writer.varuint(sequence);
      }
      previous = sequence;
    }
  }
}

function readRootSequences(reader: ByteReader): number[][] {
  let previous = 0;
  const readSequence = (): number => {
    const above = readVaruint(reader);
    previous = above === 0 ? readVaruint(reader) : previous + above - 1;
    return previous;
  };
  return readMany(reader, () => readMany(reader, readSequence));
}

/** The ids of the transactions that a block contains, by the index of the receipt. */
class BlockIds {
  private receipts: readonly TransactionReceipt[] | undefined;

  constructor(private readonly block: Buffer) {}

  /** 32 characters; undefined where the block has no such receipt, or one that is not readable. */
  of(receiptIndex: number): Digest | undefined {
    this.receipts ??= readable(() => readReceipts(this.block)) ?? [];
    const receipt = this.receipts[receiptIndex];
    return receipt && readable(() => idOf(receipt));
  }

  /** The id that begins with `kept`. Throws `DECODE_FAILED` when it begins with other bytes. */
  derived(receiptIndex: number, kept: Buffer): Buffer {
    const id = Buffer.from(this.of(receiptIndex) ?? '', 'latin1');
    if (id.subarray(0, kept.length).equals(kept)) return id;
    throw new HistoryError('DECODE_FAILED', 'the id of a transaction is not the one that it had when it was recorded');
  }
}

/**
 * The id that follows from a receipt without more than a hash. That of a compressed transaction is the digest of what it inflates to,
 * which may have a thousand times its size; the writer finds that the id is another one, and keeps the whole id.
 */
function idOf({ transaction }: TransactionReceipt): Digest {
  if ('id' in transaction) return Buffer.from(transaction.id, 'hex').toString('latin1');
  return digestOf(readPackedTransaction(transaction.packed).packedTrx);
}

/** Undefined where a node sent bytes that are no block: the store keeps them as they are. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (hasErrorCode(error, 'DECODE_FAILED')) return undefined;
    throw error;
  }
}
