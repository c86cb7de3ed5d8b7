import { readName } from '@antelope-history/abi';
import type { Authority, PermissionChange } from '@antelope-history/records';
import { SYSTEM_ACCOUNT } from '../format/action-kinds';
import { readBlockIndex, readFact } from '../format/chain-facts';
import {
  blockKey,
  chunkKey,
  kindKey,
  LIST_PREFIX_BYTES,
  listPrefix,
  MAX_SEQUENCE,
  NAME_BYTES,
  namesKey,
  readSequence,
} from '../format/keys';
import { encodeAuthority } from '../format/permissions';
import { decodeChunk } from '../format/posting-chunk';
import type { Table, Tables } from '../format/tables';
import { EMPTY_VALUE, indexEntries } from './permission-writer';
import { StoredActions } from './stored-actions';
import { decodeUndo, encodeUndo, type UndoRecord } from './undo-record';
import type { WriteBatch } from './write-batch';

/** The native actions that change an existing permission. Both need the owner's authority, so they are in the owner's lists. */
const CHANGING_ACTIONS = ['updateauth', 'deleteauth'];
/** The chain changes its permissions without an action, so it does not show which change is the newest. */
const PRODUCERS_ACCOUNT = 'eosio.prods';
/** An owner and a permission name at the end of an index key. */
const PERMISSION_KEY_BYTES = 2 * NAME_BYTES;

interface StoredUndo extends UndoRecord {
  key: Buffer;
  /** That of its block. */
  firstSequence: number;
  isCorrected: boolean;
}

/** Replaces permissions, of which only the newest state is stored, by those of repaired blocks. */
export class PermissionRepair {
  /** The last change of each permission, by its key, and the sequence after its block. */
  private readonly changes = new Map<string, { change: PermissionChange; endSequence: number }>();

  private readonly stored: StoredActions;

  constructor(private readonly tables: Tables) {
    this.stored = new StoredActions(tables);
  }

  /** Adds the changes of a block; `endSequence`: the sequence after its last one. */
  add(changes: readonly PermissionChange[], endSequence: number): void {
    for (const change of changes) {
      this.changes.set(permissionName(change), { change, endSequence });
    }
  }

  /**
   * Puts those permissions into the batch that no action after their block has changed. Where a reversible block has changed one, it is
   * the state to which undoing that block leads.
   */
  replace(batch: WriteBatch): void {
    const current = new Map<string, Authority | undefined>();
    const undoOf = this.readUndo();
    for (const [name, { change, endSequence }] of this.changes) {
      if (change.owner === PRODUCERS_ACCOUNT) continue;
      const undo = undoOf.get(name);
      if (this.isChangedWithin(change, endSequence, undo?.firstSequence ?? Infinity)) continue;
      if (undo) correctUndo(undo, change);
      else current.set(name, change.authority);
    }
    for (const undo of new Set(undoOf.values()))
      if (undo.isCorrected) batch.put(this.tables.undo, undo.key, encodeUndo(undo));
    if (current.size === 0) return;
    this.removeEntries(this.tables.keyOwners, current, batch);
    this.removeEntries(this.tables.actorOwners, current, batch);
    for (const [name, authority] of current) {
      const key = Buffer.from(name, 'latin1');
      for (const entry of indexEntries(authority, key)) batch.put(this.tables[entry.table], entry.key, EMPTY_VALUE);
      if (authority) batch.put(this.tables.permissions, key, encodeAuthority(authority));
      else batch.remove(this.tables.permissions, key);
    }
  }

  /** Removes all entries of the permissions. A wrong one can be anywhere in the index, so all of it is read. */
  private removeEntries(table: Table, current: ReadonlyMap<string, unknown>, batch: WriteBatch): void {
    for (const key of table.getKeys()) {
      const name = key.toString('latin1', key.length - PERMISSION_KEY_BYTES);
      if (current.has(name)) batch.remove(table, Buffer.from(key));
    }
  }

  /** By permission, the undo record of the first reversible block that has changed it. Irreversible ones stay until the next write. */
  private readUndo(): Map<string, StoredUndo> {
    const start = blockKey((readFact(this.tables, 'lastIrreversible')?.num ?? -1) + 1);
    const stored = [...this.tables.undo.getRange({ start })].map(({ key, value }) => {
      return { ...decodeUndo(Buffer.from(value)), key: Buffer.from(key) };
    });
    const first = new Map<string, StoredUndo>();
    for (const undo of stored) {
      const { firstSequence = 0 } = readBlockIndex(this.tables, undo.key.readUInt32BE(0)) ?? {};
      const ofBlock = { ...undo, firstSequence, isCorrected: false };
      for (const name of undo.permissions.map(permissionName)) if (!first.has(name)) first.set(name, ofBlock);
    }
    return first;
  }

  private isChangedWithin({ owner, name }: PermissionChange, start: number, end: number): boolean {
    return CHANGING_ACTIONS.some((action) => {
      const kind = this.tables.kinds.get(kindKey({ account: SYSTEM_ACCOUNT, name: action }))?.readUInt32BE(0);
      if (kind === undefined) return false;
      for (const each of this.postingsFrom(listPrefix(owner, kind), start)) {
        if (each < end && this.isChangeAt(each, owner, name)) return true;
      }
      return false;
    });
  }

  /** The postings of a list that are at or after a sequence, in descending order of chunks. */
  private *postingsFrom(prefix: Buffer, sequence: number): Generator<number> {
    const range = { start: chunkKey(prefix, MAX_SEQUENCE), end: prefix, reverse: true };
    for (const { key, value } of this.tables.postings.getRange(range)) {
      const { sequences } = decodeChunk(readSequence(key, LIST_PREFIX_BYTES), value);
      for (const each of sequences) if (each >= sequence) yield each;
      if ((sequences[0] ?? 0) < sequence) return;
    }
  }

  /**
   * Whether the action at a sequence, an `updateauth` or `deleteauth`, changes the permission: both begin with its names. One that is
   * stored damaged may change it, so that the stored permission stays: if the action changes another one, a repair after that of its
   * own block replaces the permission.
   */
  private isChangeAt(sequence: number, owner: string, name: string): boolean {
    const action = this.stored.recordAt(sequence);
    if (!action) return true;
    const { data, traces } = action;
    if (traces[0]?.receiver !== SYSTEM_ACCOUNT || data.length < PERMISSION_KEY_BYTES) return false;
    return readName(data, 0) === owner && readName(data, NAME_BYTES) === name;
  }
}

function permissionName({ owner, name }: PermissionChange): string {
  return namesKey(owner, name).toString('latin1');
}

/** The state before a block is what the last of its inverse changes of the permission restores. */
function correctUndo(undo: StoredUndo, change: PermissionChange): void {
  const at = undo.permissions.findLastIndex((each) => permissionName(each) === permissionName(change));
  undo.permissions[at] = change;
  undo.isCorrected = true;
}
