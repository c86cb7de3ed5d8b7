import { ByteReader } from '@antelope-history/abi';
import {
  decodeActionRecord,
  readVaruint,
  RecordWriter,
  type ActionRecord,
  type ActionEntry,
  type BlockRecords,
  readTransactionHeader,
  type TransactionHeader,
  type TransactionRecord,
  writeTransactionHeader,
} from '@antelope-history/records';

/**
 * Action records are stored in pages: the records of one block in the order of their sequences, cut where a page is full.
 * Reading a row reads one page, and LZ4 compresses within a page. One key per page instead of one per action is most of the
 * size difference to a document store.
 *
 * Layout: block number u32 | block id 32 | timestamp u32 | varuint transactions, then per transaction
 *   its header (`writeTransactionHeader`)
 *   | varuint actions | per action: varuint sequence - first sequence, varuint length, the packed record
 * A transaction that does not fit continues in the next page, which repeats its header with CONTINUED.
 */
export const PAGE_BYTES = 32 * 1024;

/** The flag that pages add to a transaction header. */
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

  /** A transaction that was cut continues in the next page, even where the size estimate left room. */
  get isFull(): boolean {
    return this.cut || this.body.offset >= PAGE_BYTES;
  }

  /** Adds actions of a transaction until the page is full, at least one; returns the index of the first not added. */
  add(transaction: TransactionRecord, from: number): number {
    const { actions } = transaction;
    if (this.firstSequence < 0) this.firstSequence = (actions[from] as ActionEntry).sequence;
    let to = from;
    let bytes = this.body.offset;
    do {
      bytes += (actions[to] as ActionEntry).bytes.length + 4;
      to++;
    } while (to < actions.length && bytes < PAGE_BYTES);
    if (from > 0) writeTransactionHeader(this.body, { ...transaction, partial: undefined }, CONTINUED);
    else writeTransactionHeader(this.body, transaction);
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

/** An action in a page; its record is packed. */
export interface PagedAction {
  sequence: number;
  bytes: Buffer;
}

/** A transaction, or the part of it that is in one page. */
export interface PagedTransaction {
  record: TransactionHeader;
  /** Whether it begins in an earlier page. */
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

  /** The transaction of the page that has `sequence`; undefined when none has. */
  transactionOf(sequence: number): PagedTransaction | undefined {
    return this.transactions.findLast(({ record }) => record.firstSequence <= sequence && isWithin(record, sequence));
  }
}

function isWithin(record: TransactionHeader, sequence: number): boolean {
  return sequence < record.firstSequence + record.sequenceCount;
}

function readTransaction(reader: ByteReader): PagedTransaction {
  const { header, ownFlags } = readTransactionHeader(reader);
  const actions = Array.from({ length: readVaruint(reader) }, () => ({
    sequence: header.firstSequence + readVaruint(reader),
    bytes: reader.lengthPrefixed(),
  }));
  return { record: header, continued: (ownFlags & CONTINUED) !== 0, actions };
}

export function decodePagedAction(transaction: PagedTransaction, action: PagedAction): ActionRecord {
  return decodeActionRecord(action.bytes, transaction.record.firstSequence);
}
