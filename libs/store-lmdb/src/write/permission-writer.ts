import { ByteReader, nameToSortableBytes } from '@antelope-history/abi';
import type { Authority, PermissionChange } from '@antelope-history/records';
import { namesKey } from '../format/keys';
import { decodeAuthority, encodeAuthority, keyHash } from '../format/permissions';
import type { Tables } from '../format/tables';
import type { WriteBatch } from './write-batch';

/** The value of an index entry: the key has all of it. */
export const EMPTY_VALUE = Buffer.from([0]);

/** Applies permission changes in one batch; a later change of the batch sees the earlier ones. */
export class PermissionWriter {
  private readonly changed = new Map<string, { before: Authority | undefined; now: Authority | undefined }>();

  constructor(private readonly tables: Tables) {}

  /** Applies a change and returns the change that undoes it. */
  apply(change: PermissionChange): PermissionChange {
    const key = namesKey(change.owner, change.name);
    const name = key.toString('latin1');
    let state = this.changed.get(name);
    if (!state) {
      const stored = this.tables.permissions.get(key);
      const authority = stored && decodeAuthority(new ByteReader(stored));
      this.changed.set(name, (state = { before: authority, now: authority }));
    }
    const undo = { owner: change.owner, name: change.name, authority: state.now };
    state.now = change.authority;
    return undo;
  }

  /** Puts the resulting state into the batch. */
  flush(batch: WriteBatch): void {
    for (const [name, { before, now }] of this.changed) {
      const key = Buffer.from(name, 'latin1');
      for (const entry of indexEntries(before, key)) batch.remove(this.tables[entry.table], entry.key);
      for (const entry of indexEntries(now, key)) batch.put(this.tables[entry.table], entry.key, EMPTY_VALUE);
      if (now) batch.put(this.tables.permissions, key, encodeAuthority(now));
      else batch.remove(this.tables.permissions, key);
    }
    this.changed.clear();
  }

  /** Drops what was applied since the last flush: the batch failed. */
  forget(): void {
    this.changed.clear();
  }
}

interface IndexEntry {
  table: 'keyOwners' | 'actorOwners';
  key: Buffer;
}

/** The entries of both indices for a permission. */
export function indexEntries(authority: Authority | undefined, permissionKey: Buffer): IndexEntry[] {
  if (!authority) return [];
  return [
    ...authority.keys.map((key): IndexEntry => ({
      table: 'keyOwners',
      key: Buffer.concat([keyHash(key), permissionKey]),
    })),
    ...authority.actors.map((actor): IndexEntry => ({
      table: 'actorOwners',
      key: Buffer.concat([nameToSortableBytes(actor), permissionKey]),
    })),
  ];
}
