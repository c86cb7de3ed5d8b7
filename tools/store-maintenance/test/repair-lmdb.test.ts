import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openLmdbStoreWriter } from '@antelope-history/store-lmdb/writer';
import type { Recording } from '@antelope-history/test-support/recordings';
import { type CompressionOptions, type Database, open, type RootDatabase } from 'lmdb';
import { recordsOf } from './recorded-records';
import { type DamagedStore, describeRepair, type Targets } from './repair-cases';

const TABLES = [
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
] as const;
type TableName = (typeof TABLES)[number];
const COMPRESSED: readonly string[] = ['blockBodies', 'pages', 'abiBodies'];
/** The entry that counts changes of committed blocks, replacements among them. */
const REVISION = `meta ${Buffer.from('revision').toString('hex')}`;
const CATCH_UP_MS = 100;
const RETAINED_BLOCKS = 200;

type RawTable = Database<Buffer, Buffer>;

async function openDamaged(recording: Recording): Promise<DamagedStore> {
  const directory = mkdtempSync(path.join(tmpdir(), 'antelope-history-repair-'));
  const options = { path: directory, mapSizeBytes: 0 };
  const writer = await openLmdbStoreWriter(options);
  for (const records of recordsOf(recording)) await writer.writeBlocks([records]);
  await writer.close();
  const tables = new RawTables(directory);
  return {
    environment: { HISTORY_STORE__LMDB__PATH: directory },
    dump: () => Promise.resolve(tables.dump()),
    damages: damagesOf(tables),
    serve: async () => {
      const serving = await openLmdbStoreWriter(options);
      const timer = setInterval(() => void serving.maintain(), CATCH_UP_MS);
      return async () => {
        clearInterval(timer);
        await serving.close();
      };
    },
    removeOldBlocks: async () => {
      const removing = await openLmdbStoreWriter({ ...options, retainBlocks: RETAINED_BLOCKS });
      const { firstBlockNum } = await removing.maintain();
      await removing.close();
      return firstBlockNum ?? 0;
    },
    close: async () => {
      await tables.close();
      rmSync(directory, { recursive: true });
    },
  };
}

/** The tables of a data directory without the store's code. */
class RawTables {
  private readonly root: RootDatabase;
  private readonly tables: Record<TableName, RawTable>;

  constructor(directory: string) {
    const root = open({ path: directory, maxDbs: TABLES.length, noSubdir: false });
    const entries = TABLES.map((name) => [
      name,
      root.openDB<Buffer, Buffer>({
        name,
        encoding: 'binary',
        keyEncoding: 'binary',
        ...(COMPRESSED.includes(name) ? { compression: { threshold: 256 } as CompressionOptions } : {}),
      }),
    ]);
    this.root = root;
    this.tables = Object.fromEntries(entries) as Record<TableName, RawTable>;
  }

  dump(): Map<string, string> {
    this.root.resetReadTxn();
    const found = new Map<string, string>();
    for (const [key, value] of TABLES.flatMap((name) => this.entries(name))) found.set(key, value);
    found.delete(REVISION);
    return found;
  }

  /** The keys of a table with a prefix, ascending. */
  keys(table: TableName, prefix: Buffer = Buffer.alloc(0)): Buffer[] {
    this.root.resetReadTxn();
    return [...this.tables[table].getKeys()].map((key) => Buffer.from(key)).filter((key) => key.indexOf(prefix) === 0);
  }

  get(table: TableName, key: Buffer): Buffer {
    this.root.resetReadTxn();
    return Buffer.from(this.tables[table].get(key) ?? Buffer.alloc(0));
  }

  /** Inverts a byte of a value; a negative offset counts from the end. */
  async flip(table: TableName, key: Buffer, offset: number): Promise<void> {
    const value = this.get(table, key);
    const at = offset < 0 ? value.length + offset : offset;
    value[at] = (value[at] ?? 0) ^ 0xff;
    await this.tables[table].put(key, value);
  }

  async put(table: TableName, key: Buffer, value: Buffer): Promise<void> {
    await this.tables[table].put(key, value);
  }

  async remove(table: TableName, key: Buffer): Promise<void> {
    await this.tables[table].remove(key);
  }

  async close(): Promise<void> {
    await this.root.close();
  }

  private entries(name: TableName): [string, string][] {
    return [...this.tables[name].getRange()].map(({ key, value }) => [
      `${name} ${key.toString('hex')}`,
      createHash('sha256').update(value).digest('hex'),
    ]);
  }
}

/** Where the sequences of a block are in its index entry: after the id and the timestamp. */
const FIRST_SEQUENCE_AT = 36;
function damagesOf(tables: RawTables): DamagedStore['damages'] {
  const blockKey = (num: number): Buffer => {
    const key = Buffer.alloc(4);
    key.writeUInt32BE(num);
    return key;
  };
  const pageOf = (num: number): Buffer => {
    const first = tables.get('blockIndex', blockKey(num)).subarray(FIRST_SEQUENCE_AT, FIRST_SEQUENCE_AT + 8);
    const page = tables.keys('pages').find((key) => key.compare(first) >= 0);
    if (!page) throw new Error(`block ${num} has no page`);
    return page;
  };
  /** A contract's ABI of a block: its key has the account, the block number and the sequence. */
  const abiOf = (num: number): Buffer => {
    const key = tables.keys('abis').find((each) => each.readUInt32BE(8) === num);
    if (!key) throw new Error(`block ${num} sets no ABI`);
    return key;
  };
  return {
    'the bytes of a block': ({ blockNum }) => tables.flip('blockBodies', blockKey(blockNum), -10),
    'bytes of a block that do not decode': ({ blockNum }) =>
      tables.put('blockBodies', blockKey(blockNum), Buffer.from([2, 0, 7])),
    'a lost block': ({ blockNum }) => tables.remove('blockBodies', blockKey(blockNum)),
    'the id of a block': ({ blockNum }) => tables.flip('blockIndex', blockKey(blockNum), 8),
    'the bytes of an action': ({ blockNum }) => tables.flip('pages', pageOf(blockNum), -3),
    'a page of actions that does not decode': ({ blockNum }) =>
      tables.put('pages', pageOf(blockNum), Buffer.from('no page')),
    'a lost page of actions': ({ blockNum }) => tables.remove('pages', pageOf(blockNum)),
    'the record of a transaction': ({ blockNum, transactionId }) => {
      const page = pageOf(blockNum);
      return tables.flip('pages', page, tables.get('pages', page).indexOf(transactionId) + 4);
    },
    'the version of an ABI': ({ abiBlock }) => tables.flip('abis', abiOf(abiBlock), 0),
    'the bytes of an ABI': ({ abiBlock }) => tables.flip('abiBodies', tables.get('abis', abiOf(abiBlock)), 20),
    'a lost ABI': ({ abiBlock }) => tables.remove('abis', abiOf(abiBlock)),
    'a lost permission': (targets) => movePermission(tables, targets, 'lost'),
    'the key of a permission': (targets) => movePermission(tables, targets, 'moved'),
  };
}

/** Removes the entry by which a permission is found, or makes it one of another key, and changes the permission itself. */
async function movePermission(tables: RawTables, { permissionBlock }: Targets, to: 'lost' | 'moved'): Promise<void> {
  const page = tables
    .keys('pages')
    .map((key) => tables.get('pages', key))
    .find((bytes) => bytes.readUInt32LE(0) === permissionBlock);
  const entry = tables.keys('keyOwners').find((key) => page?.includes(Buffer.from(key.subarray(16, 24)).reverse()));
  if (!entry) throw new Error('no entry is of an account of the block');
  await tables.remove('keyOwners', entry);
  const permission = entry.subarray(16);
  await tables.flip('permissions', permission, 5);
  if (to === 'lost') return;
  const other = Buffer.from(entry);
  other[0] = (other[0] ?? 0) ^ 0xff;
  await tables.put('keyOwners', other, Buffer.from([0]));
}

describeRepair('the embedded store', openDamaged, [
  'a lost block',
  'the bytes of a block',
  'bytes of a block that do not decode',
  'the id of a block',
  'the bytes of an action',
  'a page of actions that does not decode',
  'a lost page of actions',
  'the record of a transaction',
  'the version of an ABI',
  'the bytes of an ABI',
  'a lost ABI',
  'a lost permission',
  'the key of a permission',
]);
