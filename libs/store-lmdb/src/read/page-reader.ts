import type { ActionRecord, TransactionHeader } from '@antelope-history/records';
import { HistoryError } from '@antelope-history/schemas';
import type { StoredAction } from '@antelope-history/store';
import { readSequence, sequenceKey } from '../format/keys';
import { floorEntry, type Snapshot, type Tables } from '../format/tables';
import type { SequenceRange } from './sequence-range';
import { decodePagedAction, type PagedAction, TracePage, type PagedTransaction } from '../format/trace-page';

/** The fields of a row that its transaction and block have. */
export type RowFacts = Omit<StoredAction, 'action'>;

/** A transaction, without its actions. */
export interface LocatedTransaction {
  facts: RowFacts;
  record: TransactionHeader;
}

/** Steps after which a long read pauses: about 2 ms. */
const PAUSE_STEPS = 20_000;
/** What reading pages and decoding actions takes, in the steps of `SearchPause`. */
const BYTES_PER_STEP = 32;
const STEPS_PER_TRACE = 10;

/**
 * Reads action records of one snapshot. It keeps the last page, so neighbouring actions cost one read, and no other: a page may have
 * half a megabyte of others' actions.
 */
export class PageReader {
  private current: { firstSequence: number; page: TracePage } | undefined;
  private steps = 0;

  constructor(
    private readonly tables: Tables,
    private readonly snapshot: Snapshot,
  ) {}

  /** The action whose contract's receipt has the sequence. Throws `INTERNAL` when there is none. */
  action(sequence: number): StoredAction {
    const { page, part, paged } = this.locate(sequence);
    // A row that refers to its page would keep all of it.
    const action = this.decode(part, { sequence, bytes: Buffer.from(paged.bytes) });
    return { ...factsOf(page, part), action };
  }

  /** The record of an action as `action` has it, for a use that ends with the next call: it refers to its page. */
  passingAction(sequence: number): ActionRecord {
    const { part, paged } = this.locate(sequence);
    return this.decode(part, paged);
  }

  /**
   * The record of the last action whose own sequence is not above this one. The traces of notified accounts follow that of the
   * contract, so no other action can have a trace with this sequence.
   */
  actionUpTo(sequence: number): ActionRecord | undefined {
    const part = this.pageAt(sequence)?.page.transactionOf(sequence);
    const paged = part?.actions.findLast((action) => action.sequence <= sequence);
    return part && paged && this.decode(part, paged);
  }

  decode(part: PagedTransaction, paged: PagedAction): ActionRecord {
    const action = decodePagedAction(part, paged);
    this.steps += STEPS_PER_TRACE * (1 + action.traces.length);
    return action;
  }

  /** The steps taken since the last pause, once a pause is due; 0 otherwise. */
  takeDueSteps(): number {
    if (this.steps < PAUSE_STEPS) return 0;
    const { steps } = this;
    this.steps = 0;
    return steps;
  }

  /** The sequences of the transaction with a trace that has the sequence. Throws `INTERNAL` when there is none. */
  sequencesOfTransaction(sequence: number): SequenceRange {
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
    return { facts: factsOf(start.page, part), record: part.record };
  }

  /** The parts of a transaction in their order. A page is read when its part is asked for. */
  *partsOf({ record: { firstSequence } }: LocatedTransaction): Generator<PagedTransaction, void> {
    const start = this.pageAt(firstSequence);
    const part = start?.page.transactionOf(firstSequence);
    if (!start || !part) return;
    yield part;
    // Only a page's last transaction continues in the next page, which then begins with one of its sequences.
    if (part !== start.page.transactions.at(-1)) return;
    for (const page of this.within({ start: start.firstSequence + 1, end: part.endSequence })) {
      yield page.transactions[0] as PagedTransaction;
    }
  }

  /** The pages that begin with one of the sequences, ascending. */
  *within({ start, end }: SequenceRange): Generator<TracePage, void> {
    if (start >= end) return;
    const range = { start: sequenceKey(start), end: sequenceKey(end) };
    for (const entry of this.tables.pages.getRange({ ...range, transaction: this.snapshot })) {
      this.steps += entry.value.length / BYTES_PER_STEP;
      yield TracePage.open(entry);
    }
  }

  private locate(sequence: number): { page: TracePage; part: PagedTransaction; paged: PagedAction } {
    const page = this.pageAt(sequence)?.page;
    const part = page?.transactionOf(sequence);
    const paged = part?.actionAt(sequence);
    if (!page || !part || !paged) throw new HistoryError('INTERNAL', `action ${sequence} has no record`);
    return { page, part, paged };
  }

  private pageAt(sequence: number): { firstSequence: number; page: TracePage } | undefined {
    if (!this.currentHolds(sequence)) {
      const entry = floorEntry(this.tables.pages, sequenceKey(sequence), 0, this.snapshot);
      this.steps += (entry?.value.length ?? 0) / BYTES_PER_STEP;
      this.current = entry && { firstSequence: readSequence(entry.key, 0), page: TracePage.open(entry) };
    }
    return this.current;
  }

  private currentHolds(sequence: number): boolean {
    if (!this.current || sequence < this.current.firstSequence) return false;
    return sequence <= (this.current.page.transactions.at(-1)?.lastSequence ?? 0);
  }
}

export function factsOf(page: TracePage, transaction: PagedTransaction): RowFacts {
  return {
    transactionId: transaction.record.id.toString('hex'),
    blockNum: page.blockNum,
    blockId: page.blockId,
    blockTimestamp: page.timestamp,
  };
}
