import { ByteReader, readName } from '@antelope-history/abi';
import { HistoryError } from '@antelope-history/schemas';
import type { LayoutCompiler, Read } from './layout-compiler';

/** A row of the `account` table: an account and its ABI after the block. */
export interface AccountRow {
  name: string;
  abi: Buffer;
}

/** A row of the `permission` table after the block; `present` is false when the block removed it. */
export interface PermissionRow {
  present: boolean;
  owner: string;
  name: string;
  /** Canonical key bytes: the type tag and the packed key. */
  keys: Buffer[];
  /** The actors of its account permissions. */
  actors: string[];
}

export interface DeltaVisitor {
  account(row: AccountRow): void;
  permission(row: PermissionRow): void;
}

export type DeltaReader = (bytes: Buffer, visitor: DeltaVisitor) => void;

/**
 * Compiles the reader of a result's `deltas` (a packed `table_delta[]`) from the node's ABI. It reads the rows of the
 * tables that the endpoints need and skips all others. Rows have the order of the node: a row that a block removes and
 * creates again occurs twice, and the last occurrence is valid.
 */
export function compileDeltaReader(layouts: LayoutCompiler): DeltaReader {
  const readAccount = compileAccountRow(layouts);
  const readPermission = compilePermissionRow(layouts);
  const readTable = layouts.variant<RowReaders>('table_delta', (type) => {
    expectTable(layouts, type);
    return readRows;
  });
  return (bytes, visitor) => {
    const rowReaders: RowReaders = new Map([
      [
        'account',
        (row, present) => {
          if (present) visitor.account(readWhole(readAccount, row, { name: '', abi: EMPTY }));
        },
      ],
      [
        'permission',
        (row, present) =>
          visitor.permission(readWhole(readPermission, row, { present, owner: '', name: '', keys: [], actors: [] })),
      ],
    ]);
    const reader = new ByteReader(bytes);
    const tables = reader.varuint32();
    for (let table = 0; table < tables; table++) readTable(reader, rowReaders);
    if (reader.remaining() > 0) throw new HistoryError('DECODE_FAILED', 'bytes remain after the last delta');
  };
}

/** Readers of rows by the name of the table; the rows of other tables are skipped. */
type RowReaders = ReadonlyMap<string, (row: Buffer, present: boolean) => void>;

/** The versions of `table_delta` differ only in the type of `present`. */
function expectTable(layouts: LayoutCompiler, type: string): void {
  const rows = layouts.fieldsOf(type)?.get('rows') ?? 'row[]';
  layouts.expectExact(type, ['name: string', `rows: ${rows}`]);
  const row = rows.replace(/\[\]$/, '');
  const present = layouts.fieldsOf(row)?.get('present') === 'uint8' ? 'uint8' : 'bool';
  layouts.expectExact(row, [`present: ${present}`, 'data: bytes']);
}

function readRows(reader: ByteReader, rowReaders: RowReaders): void {
  const readRow = rowReaders.get(reader.lengthPrefixed().toString('latin1'));
  const count = reader.varuint32();
  for (let index = 0; index < count; index++) {
    // v0: bool; v1 (EOSIO 2.1): 0 removed, 1 modified, 2 new. Zero means removed in both.
    const present = reader.uint8() !== 0;
    const length = reader.varuint32();
    const start = reader.offset;
    reader.skip(length);
    readRow?.(reader.bytes.subarray(start, reader.offset), present);
  }
}

const EMPTY = Buffer.alloc(0);

function readWhole<T>(read: Read<T>, bytes: Buffer, row: T): T {
  const reader = new ByteReader(bytes);
  read(reader, row);
  if (reader.remaining() > 0) throw new HistoryError('DECODE_FAILED', 'bytes remain after a row');
  return row;
}

function compileAccountRow(layouts: LayoutCompiler): Read<AccountRow> {
  return layouts.variant('account', (type) =>
    layouts.struct<AccountRow>(type, {
      name: { type: 'name', read: (reader, row) => void (row.name = takeName(reader)) },
      abi: { type: 'bytes', read: (reader, row) => void (row.abi = reader.lengthPrefixed()) },
    }),
  );
}

function compilePermissionRow(layouts: LayoutCompiler): Read<PermissionRow> {
  const skipPublicKey = layouts.skip('public_key');
  layouts.expectExact('key_weight', ['key: public_key', 'weight: uint16']);
  layouts.expectExact('permission_level', ['actor: name', 'permission: name']);
  layouts.expectExact('permission_level_weight', ['permission: permission_level', 'weight: uint16']);
  const readAuthority = layouts.struct<PermissionRow>('authority', {
    keys: {
      type: 'key_weight[]',
      read: (reader, row) => {
        const count = reader.varuint32();
        for (let index = 0; index < count; index++) {
          const start = reader.offset;
          skipPublicKey(reader);
          row.keys.push(reader.bytes.subarray(start, reader.offset));
          reader.skip(2);
        }
      },
    },
    accounts: {
      type: 'permission_level_weight[]',
      read: (reader, row) => {
        const count = reader.varuint32();
        for (let index = 0; index < count; index++) {
          row.actors.push(takeName(reader));
          reader.skip(10);
        }
      },
    },
  });
  return layouts.variant('permission', (type) =>
    layouts.struct<PermissionRow>(type, {
      owner: { type: 'name', read: (reader, row) => void (row.owner = takeName(reader)) },
      name: { type: 'name', read: (reader, row) => void (row.name = takeName(reader)) },
      auth: { type: 'authority', read: readAuthority },
    }),
  );
}

function takeName(reader: ByteReader): string {
  const at = reader.offset;
  reader.skip(8);
  return readName(reader.bytes, at);
}
