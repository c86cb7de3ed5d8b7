import { ByteReader } from '@antelope-history/abi';
import { readVaruint, RecordWriter, type PermissionChange } from '@antelope-history/records';
import { nameInKey, namesKey } from '../format/keys';
import { decodeAuthority, encodeAuthority } from '../format/permissions';

/** How to undo a block's changes of the state: permissions and ABIs are not keyed by block number alone. */
export interface UndoRecord {
  /** The inverse changes, in the order to apply them: the reverse of the block's. */
  permissions: PermissionChange[];
  abiKeys: Buffer[];
}

export function encodeUndo(undo: UndoRecord): Buffer {
  const writer = new RecordWriter(256);
  writer.varuint(undo.permissions.length);
  for (const { owner, name, authority } of undo.permissions) {
    writer.copy(namesKey(owner, name), 0, 16);
    writer.uint8(authority ? 1 : 0);
    if (authority) writer.lengthPrefixed(encodeAuthority(authority));
  }
  writer.varuint(undo.abiKeys.length);
  for (const key of undo.abiKeys) writer.lengthPrefixed(key);
  return writer.view(0);
}

export function decodeUndo(bytes: Buffer): UndoRecord {
  const reader = new ByteReader(bytes);
  const permissions = Array.from({ length: readVaruint(reader) }, (): PermissionChange => {
    const key = reader.slice(16);
    const authority = reader.uint8() === 1 ? decodeAuthority(new ByteReader(reader.lengthPrefixed())) : undefined;
    return { owner: nameInKey(key, 0), name: nameInKey(key, 8), authority };
  });
  const abiKeys = Array.from({ length: readVaruint(reader) }, () => Buffer.from(reader.lengthPrefixed()));
  return { permissions, abiKeys };
}
