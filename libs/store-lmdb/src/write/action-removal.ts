import { ALL_KINDS, FURTHER_TRACES, WHOLE_CHAIN } from '../format/action-kinds';
import { listPrefix, sequenceKey, transactionKey } from '../format/keys';
import type { Tables } from '../format/tables';
import { entryOfPaged, type PagedTransaction, TracePage } from '../format/trace-page';
import type { DataKinds } from './data-kinds';
import type { KindAllocator } from './kind-allocator';
import type { WriteBatch } from './write-batch';

/** Removes records of actions with their transaction keys, and finds the lists that have postings of them. */
export class ActionRemoval {
  private readonly prefixes = new Map<string, Buffer>();

  constructor(
    private readonly tables: Tables,
    private readonly kinds: KindAllocator,
    private readonly dataKinds: DataKinds,
    private readonly batch: WriteBatch,
  ) {}

  /** The key prefixes of the lists that had postings of what was removed. */
  get lists(): Iterable<Buffer> {
    return this.prefixes.values();
  }

  /** Removes the pages that begin within the range; `end` is not included, and absent = to the last one. */
  removePages({ start, end }: { start: number; end?: number }): void {
    const range = { start: sequenceKey(start), ...(end !== undefined && { end: sequenceKey(end) }) };
    for (const { key, value } of this.tables.pages.getRange(range)) {
      this.batch.remove(this.tables.pages, key);
      // A copy: finding an action's data kinds reads other values, which may reuse the memory of this one.
      const page = TracePage.open({ key, value: Buffer.from(value) });
      for (const transaction of page.transactions) this.removeTransaction(transaction, page.blockNum);
    }
  }

  private removeTransaction(transaction: PagedTransaction, blockNum: number): void {
    const { id, firstSequence } = transaction.record;
    this.batch.remove(this.tables.transactions, transactionKey(id, firstSequence));
    for (const paged of transaction.actions) {
      const action = entryOfPaged(transaction, paged);
      const { accounts } = action;
      const kinds = this.kinds.kindsOf(action.account, action.name, this.batch);
      for (const account of accounts)
        for (const each of [ALL_KINDS, kinds.exact, FURTHER_TRACES]) this.note(account, each);
      for (const each of [ALL_KINDS, kinds.exact, kinds.anyName, kinds.anyContract]) this.note(WHOLE_CHAIN, each);
      for (const { kind, text } of this.dataKinds.ofStored(action, blockNum, this.batch)) {
        this.note(WHOLE_CHAIN, kind);
        if (accounts.includes(text)) this.note(text, kind);
      }
    }
  }

  private note(account: string, kind: number): void {
    const prefix = listPrefix(account, kind);
    this.prefixes.set(prefix.toString('latin1'), prefix);
  }
}
