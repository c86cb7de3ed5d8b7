import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';

/** A row of a table, as the file has it: compressed where the table is. */
type Row = [key: Buffer, value: Buffer];

/** As many as the embedded store has, and more. */
const MAX_TABLES = 64;
/** Bytes of keys and values in a commit, each of which waits for the disk. */
const COMMIT_BYTES = 8 * 1024 * 1024;
const BYTES = { encoding: 'binary', keyEncoding: 'binary' } as const;

/**
 * The limit of storing: the seconds in which a loop that does nothing else writes all keys and values of an embedded store into an
 * empty one, each once and in their order. Throws when the copy has other rows.
 */
export async function measureBareLmdb(store: string): Promise<number> {
  const tables = await readTables(store);
  const folder = mkdtempSync(path.join(tmpdir(), 'antelope-history-bench-'));
  try {
    const root = openStore(folder, false);
    const startedAt = performance.now();
    for (const [name, rows] of tables) writeRows(root, root.openDB<Buffer, Buffer>({ name, ...BYTES }), rows);
    const seconds = (performance.now() - startedAt) / 1000;
    await root.close();
    requireEqual(tables, await readTables(folder));
    return seconds;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function openStore(folder: string, readOnly: boolean): RootDatabase<Buffer, string> {
  return open<Buffer, string>({
    path: folder,
    maxDbs: MAX_TABLES,
    noSubdir: false,
    readOnly,
    overlappingSync: false,
    encoding: 'binary',
  });
}

async function readTables(store: string): Promise<Map<string, Row[]>> {
  const root = openStore(store, true);
  try {
    const names = [...root.getKeys()];
    return new Map(names.map((name) => [name, rowsOf(root.openDB<Buffer, Buffer>({ name, ...BYTES }))]));
  } finally {
    await root.close();
  }
}

function rowsOf(table: Database<Buffer, Buffer>): Row[] {
  return [...table.getRange().map(({ key, value }): Row => [key, value])];
}

function writeRows(root: RootDatabase<Buffer, string>, table: Database<Buffer, Buffer>, rows: readonly Row[]): void {
  for (let start = 0; start < rows.length;) {
    const end = endOfCommit(rows, start);
    root.transactionSync(() => {
      for (let index = start; index < end; index++) {
        const [key, value] = rows[index] as Row;
        table.putSync(key, value);
      }
    });
    start = end;
  }
}

function endOfCommit(rows: readonly Row[], start: number): number {
  let bytes = 0;
  let end = start;
  while (end < rows.length && bytes < COMMIT_BYTES) {
    const [key, value] = rows[end] as Row;
    bytes += key.length + value.length;
    end++;
  }
  return end;
}

function requireEqual(expected: ReadonlyMap<string, Row[]>, found: ReadonlyMap<string, Row[]>): void {
  for (const [name, rows] of expected) {
    const copied = found.get(name) ?? [];
    const isEqual =
      copied.length === rows.length &&
      rows.every(([key, value], index) => copied[index]?.[0].equals(key) === true && copied[index][1].equals(value));
    if (!isEqual) throw new Error(`the copy of the table ${name} has other rows`);
  }
}
