import type { Table } from '../format/tables';

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
  readonly writes: Write[] = [];

  put(table: Table, key: Buffer, value: Buffer): void {
    this.writes.push({ table, key, value });
  }

  remove(table: Table, key: Buffer): void {
    this.writes.push({ table, key, value: undefined });
  }
}
