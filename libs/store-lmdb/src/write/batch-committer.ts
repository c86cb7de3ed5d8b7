import { HistoryError } from '@antelope-history/schemas';
import type { DataFile } from '../format/data-file';
import { damaged } from '../format/damage';
import type { Tables } from '../format/tables';
import type { OpeningGate } from '../lock/opening-gate';
import type { DiskRoom } from './disk-room';
import { WriteBatch } from './write-batch';
import { writeFact } from './write-facts';

/** The number of a transaction, modulo 2^32. */
interface AfterCommit {
  txnId: number;
}

/** Commits batches to the tables of a data directory, in the order of the calls. Callers await each commit. */
export class BatchCommitter {
  /** The numbers of the transaction that changed the data last, and of the newest one. */
  private last: number | undefined;
  private newest = 0;
  private isDamaged = false;

  /** `gate`: that of the lock which makes this process the only writer. `room`: that of the disk. `file`: of the tables. */
  constructor(
    private readonly tables: Tables,
    private readonly gate: OpeningGate,
    private readonly room: DiskRoom,
    private readonly file: DataFile,
  ) {
    const onCommit = ({ txnId }: AfterCommit): void => void (this.newest = txnId);
    tables.root.on('aftercommit', onCommit);
  }

  /**
   * Resolves when the whole batch is on disk. Rejects with
   * - `STORE_UNAVAILABLE`, or `STORE_FULL` where the disk has no room; then none of it is, or the data directory was replaced;
   * - `STORE_DAMAGED` when an earlier commit was lost, and from then on.
   */
  async commit(batch: WriteBatch): Promise<void> {
    if (this.isDamaged) throw damaged();
    if (batch.writes.length === 0) return;
    this.assertInPlace();
    await this.gate.whileNoneOpens(() => this.write(batch));
    // It may have been replaced during the commit, which is lost then.
    this.assertInPlace();
    // A batch that only removes may change nothing; LMDB gives its number to the next transaction then.
    if (batch.writes.some(({ value }) => value !== undefined)) await this.assertNoneLost();
  }

  /** Throws `STORE_UNAVAILABLE` when another data directory was put in the place of this one. */
  assertInPlace(): void {
    this.file.assertInPlace();
  }

  private async write({ writes }: WriteBatch): Promise<void> {
    try {
      await this.tables.root.batch(() => {
        for (const { table, key, value } of writes) void (value ? table.put(key, value) : table.remove(key));
      });
    } catch (error) {
      const cause = await commitErrorOf(error);
      // LMDB reports a full disk as an error of input or output.
      this.room.assertRoom();
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new HistoryError('STORE_UNAVAILABLE', `the data directory cannot be written: ${why}`, { cause });
    }
  }

  /**
   * LMDB numbers its transactions. A program that opens the directory without asking the writer may turn the number back, so that a
   * commit replaces earlier ones: the data then lacks their blocks. The directory is marked, so that no process answers from it.
   */
  private async assertNoneLost(): Promise<void> {
    const isLater = this.last === undefined || ((this.newest - this.last) | 0) > 0;
    this.last = this.newest;
    if (isLater) return;
    this.isDamaged = true;
    const mark = new WriteBatch();
    writeFact(this.tables, 'isDamaged', true, mark);
    await this.gate.whileNoneOpens(() => this.write(mark));
    throw damaged();
  }
}

/** The library rejects a failed commit with an error whose `commitError` is a promise that rejects with the cause. */
async function commitErrorOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (cause) {
    return cause;
  }
}
