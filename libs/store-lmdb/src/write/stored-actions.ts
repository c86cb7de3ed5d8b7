import type { ActionEntry } from '@antelope-history/records';
import { sequenceKey } from '../format/keys';
import { floorEntry, type Tables } from '../format/tables';
import { entryOfPaged, type PagedTransaction, TracePage } from '../format/trace-page';

/** Finds stored actions by their sequences. It keeps the last page: neighbouring actions share one. */
export class StoredActions {
  private current: { key: Buffer; page: TracePage | undefined } | undefined;

  constructor(private readonly tables: Tables) {}

  /** Undefined when there is none, or it cannot be read. */
  at(sequence: number): { action: ActionEntry; blockNum: number } | undefined {
    const page = this.pageAt(sequence);
    if (!page) return undefined;
    const action = readWhole(() => {
      const transaction = page.transactionOf(sequence);
      const paged = transaction?.actions.find((each) => each.sequence === sequence);
      return transaction && paged && entryOfPaged(transaction, paged);
    });
    return action && { action, blockNum: page.blockNum };
  }

  private pageAt(sequence: number): TracePage | undefined {
    const entry = floorEntry(this.tables.pages, sequenceKey(sequence), 0);
    if (!entry) return undefined;
    if (!this.current?.key.equals(entry.key)) {
      const bytes = Buffer.from(entry.value);
      this.current = { key: Buffer.from(entry.key), page: readWhole(() => new TracePage(bytes)) };
    }
    return this.current.page;
  }
}

/** The transactions of a page; none when it is damaged. */
export function transactionsOfPage(bytes: Buffer): { id: Buffer; firstSequence: number }[] {
  return readWhole(() => new TracePage(bytes).transactions.map(({ record }) => record)) ?? [];
}

/** The actions of a page; none when it is damaged. */
export function actionsOfPage(bytes: Buffer): ActionEntry[] {
  const entries = (transaction: PagedTransaction): ActionEntry[] =>
    transaction.actions.map((paged) => entryOfPaged(transaction, paged));
  return readWhole(() => new TracePage(bytes).transactions.flatMap(entries)) ?? [];
}

/** A repair reads pages that may be damaged in any way. */
function readWhole<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
