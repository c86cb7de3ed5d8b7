import type { ActionEntry, ActionRecord } from '@antelope-history/records';
import { sequenceKey } from '../format/keys';
import { floorEntry, type Tables } from '../format/tables';
import {
  decodePagedAction,
  entryOfPaged,
  type PagedAction,
  type PagedTransaction,
  TracePage,
} from '../format/trace-page';

/** Finds stored actions by their sequences. It keeps the last page: neighbouring actions share one. */
export class StoredActions {
  private current: { key: Buffer; page: TracePage | undefined } | undefined;

  constructor(private readonly tables: Tables) {}

  /** Undefined when there is none, or it cannot be read. */
  at(sequence: number): { action: ActionEntry; blockNum: number } | undefined {
    return this.read(sequence, (transaction, paged, { blockNum }) => {
      return { action: entryOfPaged(transaction, paged), blockNum };
    });
  }

  /** Undefined as in `at`. */
  recordAt(sequence: number): ActionRecord | undefined {
    return this.read(sequence, decodePagedAction);
  }

  private read<T>(
    sequence: number,
    decode: (transaction: PagedTransaction, paged: PagedAction, page: TracePage) => T,
  ): T | undefined {
    const page = this.pageAt(sequence);
    return readWhole(() => {
      const transaction = page?.transactionOf(sequence);
      const paged = transaction?.actionAt(sequence);
      return page && transaction && paged && decode(transaction, paged, page);
    });
  }

  private pageAt(sequence: number): TracePage | undefined {
    const entry = floorEntry(this.tables.pages, sequenceKey(sequence), 0);
    if (!entry) return undefined;
    if (!this.current?.key.equals(entry.key)) {
      const key = Buffer.from(entry.key);
      this.current = { key, page: wholePage(key, Buffer.from(entry.value)) };
    }
    return this.current.page;
  }
}

/** Undefined when the page is damaged. */
export function wholePage(key: Buffer, value: Buffer): TracePage | undefined {
  return readWhole(() => TracePage.open({ key, value }));
}

/** The transactions of a page; none when it is damaged. */
export function transactionsOfPage(page: TracePage): { id: Buffer; firstSequence: number }[] {
  return readWhole(() => page.transactions.map(({ record }) => record)) ?? [];
}

/** The actions of a page; none when it is damaged. */
export function actionsOfPage(page: TracePage): ActionEntry[] {
  const entries = (transaction: PagedTransaction): ActionEntry[] =>
    transaction.actions.map((paged) => entryOfPaged(transaction, paged));
  return readWhole(() => page.transactions.flatMap(entries)) ?? [];
}

/** A repair reads pages that may be damaged in any way. */
function readWhole<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
