import { HistoryError } from '@antelope-history/schemas';
import type { Table, Tables } from '../format/tables';

interface Write {
  table: Table;
  key: Buffer;
  /** Undefined = the key is removed. */
  value: Buffer | undefined;
}

/**
 * Writes that become one transaction. They are gathered first: the library would commit what was queued before an
 * error in the middle, so nothing is queued until everything is there.
 */
export class WriteBatch {
  private readonly writes: Write[] = [];

  put(table: Table, key: Buffer, value: Buffer): void {
    this.writes.push({ table, key, value });
  }

  remove(table: Table, key: Buffer): void {
    this.writes.push({ table, key, value: undefined });
  }

  /** Resolves when everything is on disk; rejects with `STORE_UNAVAILABLE` when nothing is. */
  async commit({ root }: Tables): Promise<void> {
    try {
      await root.batch(() => {
        for (const { table, key, value } of this.writes) void (value ? table.put(key, value) : table.remove(key));
      });
    } catch (error) {
      const cause = await commitErrorOf(error);
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new HistoryError('STORE_UNAVAILABLE', `the data directory cannot be written: ${why}`, { cause });
    }
  }
}

/** The library rejects a failed commit with an error that holds a promise of what went wrong, which only rejects. */
async function commitErrorOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (cause) {
    return cause;
  }
}
