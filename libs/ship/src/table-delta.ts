import { ByteReader, readName } from '@antelope-history/abi';
import { HistoryError } from '@antelope-history/schemas';
import type { LayoutCompiler, Read } from './layout-compiler';

/** A row of the `account` table: an account's ABI after the block. */
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
 * tables that the endpoints need and passes over all others. Rows come in the order of the node: when a row was
 * removed and made again in one block it comes twice, and the last word counts.
 */
export function compileDeltaReader(layouts: LayoutCompiler): DeltaReader {
  const readAccount = compileAccountRow(layouts);
  const readPermission = compilePermissionRow(layouts);
  const tags = layouts.variantTypes('table_delta');
  if (!tags) throw new HistoryError('SHIP_UNSUPPORTED', "The node's state history ABI has no variant table_delta");

  return (bytes, visitor) => {
    const reader = new ByteReader(bytes);
    const tables = reader.varuint32();
    for (let table = 0; table < tables; table++) {
      const tag = reader.varuint32();
      if (tag >= tags.length) throw new HistoryError('DECODE_FAILED', `table_delta has no alternative ${tag}`);
      const name = reader.lengthPrefixed().toString('latin1');
      const rows = reader.varuint32();
      for (let row = 0; row < rows; row++) {
        // v0: bool; v1 (EOSIO 2.1): 0 removed, 1 modified, 2 new. Zero means removed in both.
        const present = reader.uint8() !== 0;
        const length = reader.varuint32();
        const start = reader.offset;
        reader.skip(length);
        if (name === 'account') {
          if (present) visitor.account(readWhole(readAccount, bytes, start, length, { name: '', abi: EMPTY }));
        } else if (name === 'permission') {
          const blank: PermissionRow = { present, owner: '', name: '', keys: [], actors: [] };
          visitor.permission(readWhole(readPermission, bytes, start, length, blank));
        }
      }
    }
    if (reader.remaining() > 0) throw new HistoryError('DECODE_FAILED', 'bytes remain after the last delta');
  };
}

const EMPTY = Buffer.alloc(0);

function readWhole<T>(read: Read<T>, bytes: Buffer, start: number, length: number, row: T): T {
  read(new ByteReader(bytes, start, start + length), row);
  return row;
}

function compileAccountRow(layouts: LayoutCompiler): Read<AccountRow> {
  return layouts.variant('account', {
    account_v0: layouts.struct<AccountRow>('account_v0', {
      name: { type: 'name', read: (reader, row) => void (row.name = takeName(reader)) },
      abi: { type: 'bytes', read: (reader, row) => void (row.abi = reader.lengthPrefixed()) },
    }),
  });
}

function compilePermissionRow(layouts: LayoutCompiler): Read<PermissionRow> {
  const skipPublicKey = layouts.skip('public_key');
  layouts.expectExact('key_weight', ['key: public_key', 'weight: uint16']);
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
  return layouts.variant('permission', {
    permission_v0: layouts.struct<PermissionRow>('permission_v0', {
      owner: { type: 'name', read: (reader, row) => void (row.owner = takeName(reader)) },
      name: { type: 'name', read: (reader, row) => void (row.name = takeName(reader)) },
      auth: { type: 'authority', read: readAuthority },
    }),
  });
}

function takeName(reader: ByteReader): string {
  const at = reader.offset;
  reader.skip(8);
  return readName(reader.bytes, at);
}
