import type { CompressionOptions, Database, DatabaseOptions, RootDatabase, Transaction } from 'lmdb';

/** A table of byte keys and byte values. */
export type Table = Database<Buffer, Buffer>;

/** The tables of the embedded store; `keys.ts` has the layouts of their keys. */
export interface Tables {
  root: RootDatabase;
  /** Name of a fact → JSON. */
  meta: Table;
  /** Block number → `BlockIndexEntry`: small, so that a search by time reads few pages. */
  blockIndex: Table;
  /** Block number → root sequences and the packed signed_block. */
  blockBodies: Table;
  /** First sequence → a page of action records. */
  pages: Table;
  /** Account, action kind, first sequence → a chunk of postings. */
  postings: Table;
  /** Contract or any, action name or any → action kind. */
  kinds: Table;
  /** Action kind → the key of `kinds`. */
  kindNames: Table;
  /** Id prefix, first sequence → nothing. */
  transactions: Table;
  /** Account, block number, sequence → hash of an ABI. */
  abis: Table;
  /** Hash → ABI. */
  abiBodies: Table;
  /** Owner, permission → authority. */
  permissions: Table;
  /** Hash of a key, owner, permission → nothing. */
  keyOwners: Table;
  /** Actor, owner, permission → nothing. */
  actorOwners: Table;
  /** Block number → how to undo the block's permission and ABI changes. */
  undo: Table;
}

/** A table whose keys are read as texts. */
export type TextKeyTable = Database<Buffer, Buffer | string>;

type TableName = Exclude<keyof Tables, 'root'>;

const TABLE_NAMES: readonly TableName[] = [
  'meta',
  'blockIndex',
  'blockBodies',
  'pages',
  'postings',
  'kinds',
  'kindNames',
  'transactions',
  'abis',
  'abiBodies',
  'permissions',
  'keyOwners',
  'actorOwners',
  'undo',
];

/** Tables with large, repetitive values: LZ4 halves them. */
const COMPRESSED: ReadonlySet<TableName> = new Set(['blockBodies', 'pages', 'abiBodies']);
const COMPRESSION = { threshold: 256 } as CompressionOptions;

export const TABLE_COUNT = TABLE_NAMES.length;

/** Opens the tables; undefined when one is missing and `create` is false. */
export function openTables(root: RootDatabase, { create }: { create: boolean }): Tables | undefined {
  const tables: Partial<Record<TableName, Table>> = {};
  for (const name of TABLE_NAMES) {
    const table = openTable(root, name, create);
    if (!table) return undefined;
    tables[name] = table;
  }
  return { root, ...(tables as Record<TableName, Table>) };
}

function openTable(root: RootDatabase, name: TableName, create: boolean): Table | undefined {
  const options: DatabaseOptions & { name: string; create: boolean } = {
    name,
    create,
    encoding: 'binary',
    keyEncoding: 'binary',
    ...(COMPRESSED.has(name) ? { compression: COMPRESSION } : {}),
  };
  return root.openDB<Buffer, Buffer>(options);
}

/**
 * Opens a table to read its keys as what `read` makes of them. The library copies each key otherwise, which takes half of the time
 * of a query that reads hundreds. `read` must not keep the bytes, which the next key uses again.
 */
export function openTextKeys(
  root: RootDatabase,
  name: TableName,
  read: (bytes: Buffer, start: number) => string,
): TextKeyTable {
  const keyEncoder = {
    writeKey(key: Buffer, target: Buffer, start: number): number {
      target.set(key, start);
      return start + key.length;
    },
    readKey: read,
  };
  const options = { name, create: false, encoding: 'binary', keyEncoder } as unknown as DatabaseOptions & {
    name: string;
  };
  return root.openDB<Buffer, Buffer | string>(options);
}

/** The bytes of the pages that the tables use; the data file also has free pages, which later writes use again. */
export function usedBytesOf(tables: Tables): number {
  return TABLE_NAMES.reduce((bytes, name) => {
    const stats = tables[name].getStats() as TableStats;
    const pages = stats.treeBranchPageCount + stats.treeLeafPageCount + stats.overflowPages;
    return bytes + pages * stats.pageSize;
  }, 0);
}

/** What LMDB tells of a table (mdb_stat); the library's types omit it. */
interface TableStats {
  pageSize: number;
  treeBranchPageCount: number;
  treeLeafPageCount: number;
  overflowPages: number;
}

/** An LMDB read transaction; all reads of a query use the same one. */
export type Snapshot = Transaction;

/** The entry with the greatest key not above `key`; undefined unless it shares the first `prefixBytes` bytes of `key`. */
export function floorEntry(
  table: Table,
  key: Buffer,
  prefixBytes: number,
  snapshot?: Snapshot,
): { key: Buffer; value: Buffer } | undefined {
  for (const entry of table.getRange({ start: key, reverse: true, limit: 1, transaction: snapshot })) {
    return entry.key.compare(key, 0, prefixBytes, 0, prefixBytes) === 0 ? entry : undefined;
  }
  return undefined;
}

/** All keys that begin with `prefix`, ascending. */
export function keysWithPrefix<Key extends Buffer | string>(
  table: Database<Buffer, Buffer | Key>,
  prefix: Buffer,
  snapshot?: Snapshot,
): Iterable<Key> {
  const end = successorOf(prefix);
  return table.getKeys({ start: prefix, ...(end && { end }), transaction: snapshot }) as Iterable<Key>;
}

/** The least key above all that begin with `prefix`; undefined if there is none: the prefix is all ones. */
function successorOf(prefix: Buffer): Buffer | undefined {
  const end = Buffer.from(prefix);
  for (let index = end.length - 1; index >= 0; index--) {
    if (end[index] !== 0xff) {
      end[index] = (end[index] as number) + 1;
      return end.subarray(0, index + 1);
    }
  }
  return undefined;
}
