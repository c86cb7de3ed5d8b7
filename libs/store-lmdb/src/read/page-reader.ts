import { HistoryError } from '@antelope-history/schemas';
import type { StoredAction } from '@antelope-history/store';
import { damagedValue } from '../format/damage';
import { readSequence, sequenceKey } from '../format/keys';
import { floorEntry, type Snapshot, type Tables } from '../format/tables';
import { TracePage, type PagedTransaction } from '../format/trace-page';

/** The fields of a row that its transaction and block have. */
export type RowFacts = Omit<StoredAction, 'action'>;

/** A transaction with its parts of all pages, in their order. */
export interface LocatedTransaction {
  facts: RowFacts;
  parts: PagedTransaction[];
}

/** Reads action records of one snapshot. It keeps the last page, so neighbouring actions cost one read. */
export class PageReader {
  private current: { firstSequence: number; page: TracePage } | undefined;

  constructor(
    private readonly tables: Tables,
    private readonly snapshot: Snapshot,
  ) {}

  /** The action whose contract's receipt has the sequence. Throws `INTERNAL` when there is none. */
  action(sequence: number): StoredAction {
    const found = this.pageAt(sequence);
    const transaction = found?.page.transactionOf(sequence);
    const action = transaction?.actionAt(sequence);
    if (!found || !transaction || !action) throw new HistoryError('INTERNAL', `action ${sequence} has no record`);
    const { blockNum, blockId, timestamp } = found.page;
    const transactionId = transaction.record.id.toString('hex');
    return { transactionId, blockNum, blockId, blockTimestamp: timestamp, action };
  }

  /** The sequences of the transaction with a trace that has the sequence. Throws `INTERNAL` when there is none. */
  sequencesOfTransaction(sequence: number): { start: number; end: number } {
    const record = this.pageAt(sequence)?.page.transactionOf(sequence)?.record;
    if (!record) throw new HistoryError('INTERNAL', `the trace ${sequence} has no record`);
    return { start: record.firstSequence, end: record.firstSequence + record.sequenceCount };
  }

  /** The transaction with a trace that has the sequence. */
  transactionAt(sequence: number): LocatedTransaction | undefined {
    const found = this.pageAt(sequence);
    const first = found?.page.transactionOf(sequence)?.firstSequence;
    if (first === undefined) return undefined;
    const start = this.pageAt(first);
    const part = start?.page.transactionOf(first);
    if (!start || !part) return undefined;
    const facts = factsOf(start.page, part);
    // Only a page's last transaction continues in the next page; a search for the next page takes as long as one for the first.
    const mayContinue = part === start.page.transactions.at(-1);
    return { facts, parts: mayContinue ? [part, ...this.laterParts(part, start.firstSequence)] : [part] };
  }

  /** The parts of a transaction in the pages after its first one. */
  private *laterParts({ firstSequence }: PagedTransaction, pageSequence: number): Generator<PagedTransaction> {
    const range = { start: sequenceKey(pageSequence + 1), transaction: this.snapshot };
    for (const { value } of this.tables.pages.getRange(range)) {
      const next = new TracePage(value).transactions[0];
      // The last transaction of the page before may be another one.
      if (!next?.continued || next.firstSequence !== firstSequence) return;
      yield next;
    }
  }

  private pageAt(sequence: number): { firstSequence: number; page: TracePage } | undefined {
    if (!this.currentHolds(sequence)) {
      const entry = floorEntry(this.tables.pages, sequenceKey(sequence), 0, this.snapshot);
      this.current = entry && openPage(readSequence(entry.key, 0), entry.value);
    }
    return this.current;
  }

  private currentHolds(sequence: number): boolean {
    if (!this.current || sequence < this.current.firstSequence) return false;
    return sequence <= (this.current.page.transactions.at(-1)?.lastSequence ?? 0);
  }
}

/** Throws `INTERNAL` when the page is not that of its key, the sequence of its first action. */
function openPage(firstSequence: number, bytes: Buffer): { firstSequence: number; page: TracePage } {
  const page = new TracePage(bytes);
  const [first, last] = [page.transactions[0], page.transactions.at(-1)];
  const isWhole = first && last && first.firstSequence <= firstSequence && firstSequence <= last.lastSequence;
  if (!isWhole) throw damagedValue(`the page of action ${firstSequence}`);
  return { firstSequence, page };
}

export function factsOf(page: TracePage, transaction: PagedTransaction): RowFacts {
  return {
    transactionId: transaction.record.id.toString('hex'),
    blockNum: page.blockNum,
    blockId: page.blockId,
    blockTimestamp: page.timestamp,
  };
}
