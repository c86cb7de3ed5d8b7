import { DataFields } from '@antelope-history/data-fields';
import type { MigrationFact } from '../format/chain-facts';
import type { Tables } from '../format/tables';
import { entryOfPaged, type PagedTransaction } from '../format/trace-page';
import { DataKinds } from '../write/data-kinds';
import { KindAllocator } from '../write/kind-allocator';
import { PostingWriter } from '../write/posting-writer';
import type { WriteBatch } from '../write/write-batch';

/** Writes the lists that a migration adds, in the form in which the writer writes those of new blocks. */
export class MissingLists {
  private readonly kinds: KindAllocator;
  private readonly postings: PostingWriter;
  private readonly dataKinds: DataKinds;
  private readonly hasTraces: boolean;

  constructor(tables: Tables, { traces, fields, firstDataKind }: MigrationFact, firstBlock: number) {
    this.hasTraces = traces;
    this.kinds = new KindAllocator(tables);
    this.postings = new PostingWriter(tables, this.kinds, traces);
    this.dataKinds = new DataKinds(tables, this.kinds, new DataFields(fields));
    this.dataKinds.beginAt(firstBlock, firstDataKind);
  }

  /** Adds the actions of a page's transaction, which come in ascending order; returns their number. */
  add(transaction: PagedTransaction, blockNum: number, batch: WriteBatch): number {
    for (const paged of transaction.actions) {
      if (this.hasTraces) this.postings.addFurtherTraces(paged, batch);
      const entry = entryOfPaged(transaction, paged);
      this.postings.addData(entry, this.dataKinds.ofStored(entry, blockNum, batch), batch);
    }
    return transaction.actions.length;
  }

  flush(batch: WriteBatch): void {
    this.postings.flush(batch);
    this.kinds.flush(batch);
  }

  committed(): void {
    this.kinds.committed();
  }
}
