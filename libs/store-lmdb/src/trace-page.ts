import { ByteReader } from '@antelope-history/abi';
import {
  decodeActionRecord,
  readVaruint,
  RecordWriter,
  type ActionRecord,
  type ActionEntry,
  type BlockRecords,
  type PartialTransaction,
  type TransactionRecord,
} from '@antelope-history/records';

/**
 * Action records lie in pages: the records of one block in the order of their sequences, cut where a page is full.
 * A page is what a row costs to read, and what LZ4 has to find repetitions in; a key per page instead of one per
 * action is most of the difference to a store of documents.
 *
 * Layout: block number u32 | block id 32 | timestamp u32 | varuint transactions, then per transaction
 *   id 32 | varuint receipt index + 1, status, cpu_usage_us, net_usage_words, first sequence, sequence count
 *   | flags u8 | partial transaction when HAS_PARTIAL
 *   | varuint actions | per action: varuint sequence - first sequence, varuint length, the packed record
 * A transaction that does not fit goes on in the next page, which repeats its header with CONTINUED.
 */
export const PAGE_BYTES = 32 * 1024;

const HAS_PARTIAL = 1;
const CONTINUED = 2;

export interface EncodedPage {
  firstSequence: number;
  bytes: Buffer;
}

/** Packs a block's transactions into pages. */
export function encodePages(records: BlockRecords): EncodedPage[] {
  const pages: EncodedPage[] = [];
  let page: PageWriter | undefined;
  for (const transaction of records.transactions) {
    let from = 0;
    while (from < transaction.actions.length) {
      page ??= new PageWriter(records);
      from = page.add(transaction, from);
      if (page.isFull) {
        pages.push(page.finish());
        page = undefined;
      }
    }
  }
  if (page) pages.push(page.finish());
  return pages;
}

class PageWriter {
  private readonly body = new RecordWriter(PAGE_BYTES + 4096);
  private transactions = 0;
  private firstSequence = -1;
  private cut = false;

  constructor(private readonly records: BlockRecords) {}

  /** A transaction that was cut goes on in the next page, however close the estimate of the sizes was. */
  get isFull(): boolean {
    return this.cut || this.body.offset >= PAGE_BYTES;
  }

  /** Adds actions of a transaction until the page is full, at least one; gives the index of the first not added. */
  add(transaction: TransactionRecord, from: number): number {
    const { actions } = transaction;
    if (this.firstSequence < 0) this.firstSequence = (actions[from] as ActionEntry).sequence;
    let to = from;
    let bytes = this.body.offset;
    do {
      bytes += (actions[to] as ActionEntry).bytes.length + 4;
      to++;
    } while (to < actions.length && bytes < PAGE_BYTES);
    writeHeader(this.body, transaction, from > 0);
    this.body.varuint(to - from);
    for (let index = from; index < to; index++) {
      const action = actions[index] as ActionEntry;
      this.body.varuint(action.sequence - transaction.firstSequence);
      this.body.lengthPrefixed(action.bytes);
    }
    this.transactions++;
    this.cut = to < actions.length;
    return to;
  }

  finish(): EncodedPage {
    const body = this.body.view(0);
    const page = new RecordWriter(body.length + 48);
    page.uint32(this.records.position.num);
    page.copy(Buffer.from(this.records.position.id, 'hex'), 0, 32);
    page.uint32(this.records.timestamp);
    page.varuint(this.transactions);
    page.copy(body, 0, body.length);
    return { firstSequence: this.firstSequence, bytes: page.view(0) };
  }
}

function writeHeader(writer: RecordWriter, transaction: TransactionRecord, continued: boolean): void {
  const partial = continued ? undefined : transaction.partial;
  writer.copy(transaction.id, 0, 32);
  writer.varuint(transaction.receiptIndex + 1);
  writer.varuint(transaction.status);
  writer.varuint(transaction.cpuUsageUs);
  writer.varuint(transaction.netUsageWords);
  writer.varuint(transaction.firstSequence);
  writer.varuint(transaction.sequenceCount);
  writer.uint8((partial ? HAS_PARTIAL : 0) | (continued ? CONTINUED : 0));
  if (partial) writePartial(writer, partial);
}

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
    signatures: Array.from({ length: readVaruint(reader) }, () => reader.lengthPrefixed()),
  };
}

/** An action in a page, its record still packed. */
export interface PagedAction {
  sequence: number;
  bytes: Buffer;
}

/** A transaction, or the part of it that lies in one page. */
export interface PagedTransaction {
  record: Omit<TransactionRecord, 'actions'>;
  /** Whether its beginning lies in an earlier page. */
  continued: boolean;
  actions: PagedAction[];
}

export class TracePage {
  readonly blockNum: number;
  readonly blockId: string;
  readonly timestamp: number;
  readonly transactions: PagedTransaction[];

  constructor(bytes: Buffer) {
    const reader = new ByteReader(bytes);
    this.blockNum = reader.uint32();
    this.blockId = reader.slice(32).toString('hex');
    this.timestamp = reader.uint32();
    this.transactions = Array.from({ length: readVaruint(reader) }, () => readTransaction(reader));
  }

  /** The transaction whose sequences hold `sequence`; undefined when none of the page does. */
  transactionOf(sequence: number): PagedTransaction | undefined {
    return this.transactions.findLast(({ record }) => record.firstSequence <= sequence && isWithin(record, sequence));
  }
}

function isWithin(record: Omit<TransactionRecord, 'actions'>, sequence: number): boolean {
  return sequence < record.firstSequence + record.sequenceCount;
}

function readTransaction(reader: ByteReader): PagedTransaction {
  const id = reader.slice(32);
  const receiptIndex = readVaruint(reader) - 1;
  const status = readVaruint(reader);
  const cpuUsageUs = readVaruint(reader);
  const netUsageWords = readVaruint(reader);
  const firstSequence = readVaruint(reader);
  const sequenceCount = readVaruint(reader);
  const flags = reader.uint8();
  const partial = flags & HAS_PARTIAL ? readPartial(reader) : undefined;
  const actions = Array.from({ length: readVaruint(reader) }, () => ({
    sequence: firstSequence + readVaruint(reader),
    bytes: reader.lengthPrefixed(),
  }));
  return {
    record: { id, receiptIndex, status, cpuUsageUs, netUsageWords, firstSequence, sequenceCount, partial },
    continued: (flags & CONTINUED) !== 0,
    actions,
  };
}

export function decodePagedAction(transaction: PagedTransaction, action: PagedAction): ActionRecord {
  return decodeActionRecord(action.bytes, transaction.record.firstSequence);
}
