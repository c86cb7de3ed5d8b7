import { HistoryError } from '@antelope-history/schemas';
import { readFact } from './chain-facts';
import type { Snapshot, Tables } from './tables';

/** Throws `STORE_DAMAGED` when the writer has found that a commit was lost. */
export function assertUndamaged(tables: Tables, snapshot?: Snapshot, read = readFact): void {
  if (read(tables, 'isDamaged', snapshot)) throw damaged();
}

/**
 * The error for a value that is not that of its key. The library reports a compressed value that it cannot read on standard error
 * only, and returns the bytes of the value before.
 */
export function damagedValue(what: string, cause?: unknown): HistoryError {
  const detail = `${what} is stored damaged: restore a backup, or run npm run repair`;
  return new HistoryError('INTERNAL', detail, { cause });
}

export function damaged(): HistoryError {
  return new HistoryError(
    'STORE_DAMAGED',
    'another program opened the data directory while it was written, and a commit was lost: restore a backup, or index again',
  );
}
