import { setImmediate as turn } from 'node:timers/promises';
import { HistoryError } from '@antelope-history/schemas';
import { type MigrationControl, NOTHING_MISSING, type StoreMigration } from '@antelope-history/store';
import { type MigrationFact, readBlockIndex, readFact } from '../format/chain-facts';
import { hasData, noData } from '../format/environment';
import { readSequence, sequenceKey } from '../format/keys';
import type { Tables } from '../format/tables';
import { TracePage } from '../format/trace-page';
import { type DiskRoom, roomOf } from '../write/disk-room';
import { type LmdbWriterOptions, openForWriting, type WritableStore } from '../write/open-writer';
import { WriteBatch } from '../write/write-batch';
import { removeFact, writeFact } from '../write/write-facts';
import { MissingLists } from './missing-lists';

export interface LmdbMigrationOptions extends LmdbWriterOptions, MigrationControl {
  /** Pages of actions per commit: 32 KiB of records each. */
  pagesPerCommit?: number;
}

const PAGES_PER_COMMIT = 500;

/**
 * Writes the lists that a store of an earlier version, or of another `index.data_fields`, lacks for the blocks that it holds. The
 * store stays as it was until the last commit, which takes the new lists into use. Only irreversible blocks are added before that
 * commit, so that an interrupted migration continues whatever the service did meanwhile. Rejects as `openLmdbStoreWriter`, with
 * `STORE_UNAVAILABLE` when the directory has no data, with `STORE_FULL`, and with `CONFIG_INVALID` when an unfinished migration
 * has other fields.
 */
export async function migrateLmdb(options: LmdbMigrationOptions): Promise<StoreMigration> {
  if (!hasData(options.path)) throw noData(options.path);
  const store = await openForWriting(options);
  try {
    return await new Migration(store, options).run();
  } finally {
    await store.tables.root.close();
    await store.lock.release();
  }
}

class Migration {
  private readonly tables: Tables;
  private readonly room: DiskRoom;
  private actions = 0;

  constructor(
    private readonly store: WritableStore,
    private readonly options: LmdbMigrationOptions,
  ) {
    this.tables = store.tables;
    this.room = roomOf(options, store.tables);
  }

  async run(): Promise<StoreMigration> {
    const firstBlock = readFact(this.tables, 'firstBlockNum');
    const plan = firstBlock === undefined ? undefined : this.plan(firstBlock);
    if (firstBlock === undefined || !plan) return NOTHING_MISSING;
    const lists = new MissingLists(this.tables, plan, firstBlock);
    const isComplete = await this.addIrreversible(plan, lists, firstBlock);
    if (isComplete) await this.finish(plan, lists, firstBlock);
    return { traces: plan.traces, fields: plan.fields, actions: this.actions, isComplete };
  }

  /** What is missing, and how far an earlier run came; undefined when nothing is missing. */
  private plan(firstBlock: number): MigrationFact | undefined {
    const indexed = readFact(this.tables, 'dataFields') ?? {};
    const fields = (this.options.dataFields ?? []).filter((key) => (indexed[key] ?? Infinity) > firstBlock).sort();
    const traces = readFact(this.tables, 'countsTraces') !== true;
    const unfinished = readFact(this.tables, 'migration');
    if (unfinished) {
      if (unfinished.traces === traces && unfinished.fields.join() === fields.join()) return unfinished;
      throw new HistoryError(
        'CONFIG_INVALID',
        `index.data_fields: an unfinished migration adds ${unfinished.fields.join(', ') || 'none'}; finish it with these first`,
      );
    }
    if (!traces && fields.length === 0) return undefined;
    return { traces, fields, firstDataKind: readFact(this.tables, 'dataKinds') ?? 0, next: 0 };
  }

  private async addIrreversible(plan: MigrationFact, lists: MissingLists, firstBlock: number): Promise<boolean> {
    const lastBlock = this.lastIrreversible();
    const end = readBlockIndex(this.tables, lastBlock)?.endSequence ?? 0;
    while (plan.next < end) {
      if (this.options.signal.aborted) return false;
      this.room.assertRoom();
      const batch = new WriteBatch();
      const { next, blockNum } = this.addPages(plan.next, end, lists, batch);
      plan.next = next;
      writeFact(this.tables, 'migration', plan, batch);
      await this.store.committer.commit(batch);
      lists.committed();
      this.options.onProgress?.({ firstBlock, block: blockNum ?? lastBlock, lastBlock, actions: this.actions });
      await turn();
    }
    return true;
  }

  /** Adds the reversible blocks and takes all lists into use, in one commit. */
  private async finish(plan: MigrationFact, lists: MissingLists, firstBlock: number): Promise<void> {
    const batch = new WriteBatch();
    this.addPages(plan.next, Infinity, lists, batch, Infinity);
    const withPlanned = (stored: Record<string, number> | undefined, value: number): Record<string, number> => {
      return { ...stored, ...Object.fromEntries(plan.fields.map((key) => [key, value])) };
    };
    const [fields, firstKinds] = [readFact(this.tables, 'dataFields'), readFact(this.tables, 'firstDataKinds')];
    writeFact(this.tables, 'dataFields', withPlanned(fields, firstBlock), batch);
    writeFact(this.tables, 'firstDataKinds', withPlanned(firstKinds, plan.firstDataKind), batch);
    writeFact(this.tables, 'countsTraces', true, batch);
    removeFact(this.tables, 'migration', batch);
    await this.store.committer.commit(batch);
  }

  private lastIrreversible(): number {
    const committed = readFact(this.tables, 'committed')?.num ?? 0;
    return Math.min(committed, readFact(this.tables, 'lastIrreversible')?.num ?? 0);
  }

  /** Adds the actions of the pages from a sequence on; returns where the next ones begin. */
  private addPages(
    from: number,
    end: number,
    lists: MissingLists,
    batch: WriteBatch,
    most = this.options.pagesPerCommit ?? PAGES_PER_COMMIT,
  ): { next: number; blockNum: number | undefined } {
    let [count, next] = [0, end];
    let blockNum: number | undefined;
    const range = { start: sequenceKey(from), ...(end !== Infinity && { end: sequenceKey(end) }) };
    for (const { key, value } of this.tables.pages.getRange(range)) {
      if (count === most) {
        next = readSequence(key, 0);
        break;
      }
      // A copy: finding the data kinds reads other values, which may reuse the memory of this one.
      const page = TracePage.open({ key, value: Buffer.from(value) });
      for (const transaction of page.transactions) this.actions += lists.add(transaction, page.blockNum, batch);
      blockNum = page.blockNum;
      count++;
    }
    lists.flush(batch);
    return { next, blockNum };
  }
}
