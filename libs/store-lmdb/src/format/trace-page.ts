import { ByteReader } from '@antelope-history/abi';
import {
  decodeActionRecord,
  readVaruint,
  RecordWriter,
  type ActionRecord,
  type ActionEntry,
  type BlockRecords,
  readTransactionExtent,
  readTransactionHeader,
  type TransactionExtent,
  type TransactionHeader,
  type TransactionRecord,
  writeTransactionHeader,
} from '@antelope-history/records';
import type { HistoryError } from '@antelope-history/schemas';
import { damagedValue } from './damage';
import { readSequence } from './keys';

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

/**
 * A transaction, or the part of it that is in one page. Its record and its actions are read when they are used: a query for a
 * few rows passes over most of a page.
 */
export class PagedTransaction {
  /** Whether it begins in an earlier page. */
  readonly continued: boolean;
  private header: TransactionHeader | undefined;
  private listed: PagedAction[] | undefined;

  /**
   * `headerAt`, `actionsAt`: positions in the page; `firstActionSequence`, `lastSequence`: those of the first and the last action
   * that the page has of it.
   */
  private constructor(
    private readonly page: Buffer,
    private readonly headerAt: number,
    private readonly actionsAt: number,
    private readonly extent: TransactionExtent,
    readonly firstActionSequence: number,
    readonly lastSequence: number,
  ) {
    this.continued = (extent.ownFlags & CONTINUED) !== 0;
  }

  /** Reads where the transaction is, and moves the reader behind it. */
  static locate(reader: ByteReader): PagedTransaction {
    const headerAt = reader.offset;
    const extent = readTransactionExtent(reader);
    const actionsAt = reader.offset;
    let [firstActionSequence, lastSequence] = [-1, 0];
    for (let count = readVaruint(reader); count > 0; count--) {
      lastSequence = extent.firstSequence + readVaruint(reader);
      if (firstActionSequence < 0) firstActionSequence = lastSequence;
      reader.skip(reader.varuint32());
    }
    return new PagedTransaction(reader.bytes, headerAt, actionsAt, extent, firstActionSequence, lastSequence);
  }

  get firstSequence(): number {
    return this.extent.firstSequence;
  }

  /** The sequence after that of its last trace, which may be in a later page. */
  get endSequence(): number {
    return this.extent.firstSequence + this.extent.sequenceCount;
  }

  get record(): TransactionHeader {
    this.header ??= readTransactionHeader(new ByteReader(this.page, this.headerAt)).header;
    return this.header;
  }

  get actions(): PagedAction[] {
    if (this.listed) return this.listed;
    const reader = new ByteReader(this.page, this.actionsAt);
    this.listed = [];
    for (let count = readVaruint(reader); count > 0; count--) {
      const sequence = this.firstSequence + readVaruint(reader);
      this.listed.push({ sequence, bytes: reader.lengthPrefixed() });
    }
    return this.listed;
  }

  /** The action whose contract's receipt has the sequence; undefined if the page does not have it. */
  actionAt(sequence: number): PagedAction | undefined {
    return this.actions.find((action) => action.sequence === sequence);
  }

  /** Whether a trace of the transaction has the sequence. */
  spans(sequence: number): boolean {
    return this.firstSequence <= sequence && sequence < this.endSequence;
  }
}

export class TracePage {
  readonly blockNum: number;
  readonly blockId: string;
  readonly timestamp: number;
  readonly transactions: PagedTransaction[];

  private constructor(bytes: Buffer) {
    const reader = new ByteReader(bytes);
    this.blockNum = reader.uint32();
    this.blockId = reader.slice(32).toString('hex');
    this.timestamp = reader.uint32();
    this.transactions = [];
    for (let count = readVaruint(reader); count > 0; count--) this.transactions.push(PagedTransaction.locate(reader));
  }

  /** Throws `INTERNAL` when the value is damaged, or is not that of its key, the sequence of its first action. */
  static open({ key, value }: { key: Buffer; value: Buffer }): TracePage {
    const firstSequence = readSequence(key, 0);
    let page: TracePage | undefined;
    try {
      page = new TracePage(value);
    } catch (cause) {
      throw damagedPage(firstSequence, cause);
    }
    if (page.transactions[0]?.firstActionSequence !== firstSequence) throw damagedPage(firstSequence);
    return page;
  }

  /** The transaction of the page that has `sequence`; undefined when none has. */
  transactionOf(sequence: number): PagedTransaction | undefined {
    return this.transactions.findLast((transaction) => transaction.spans(sequence));
  }
}

function damagedPage(firstSequence: number, cause?: unknown): HistoryError {
  return damagedValue(`the page of action ${firstSequence}`, cause);
}

/** Throws `INTERNAL` when the record is damaged. */
export function decodePagedAction(transaction: PagedTransaction, { sequence, bytes }: PagedAction): ActionRecord {
  try {
    return decodeActionRecord(bytes, transaction.firstSequence);
  } catch (cause) {
    throw damagedValue(`action ${sequence}`, cause);
  }
}

/** The action as the deserializer passed it to the store. Throws as `decodePagedAction`. */
export function entryOfPaged(transaction: PagedTransaction, paged: PagedAction): ActionEntry {
  const { sequence, bytes } = paged;
  const { account, name, authorization, traces } = decodePagedAction(transaction, paged);
  const accounts = [...traces.map(({ receiver }) => receiver), ...authorization.map(({ actor }) => actor)];
  return { sequence, account, name, root: traces[0]?.creatorOrdinal === 0, accounts: [...new Set(accounts)], bytes };
}
