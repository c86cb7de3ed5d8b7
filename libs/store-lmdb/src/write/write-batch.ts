import { HistoryError } from '@antelope-history/schemas';
import type { Table, Tables } from '../format/tables';

interface Write {
  table: Table;
  key: Buffer;
  /** Undefined removes the key. */
  value: Buffer | undefined;
}

/**
 * Writes that become one transaction. They are collected first: the library commits whatever was queued before an error, so
 * nothing is queued until the batch is complete.
 */
export class WriteBatch {
  private readonly writes: Write[] = [];

  put(table: Table, key: Buffer, value: Buffer): void {
    this.writes.push({ table, key, value });
  }

  remove(table: Table, key: Buffer): void {
    this.writes.push({ table, key, value: undefined });
  }

  /** Resolves when the whole batch is on disk. Rejects with `STORE_UNAVAILABLE`; then none of it is. */
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
