import { createHash } from 'node:crypto';
import { ByteReader, nameToSortableBytes } from '@antelope-history/abi';
import { readVaruint, RecordWriter, type Authority, type PermissionChange } from '@antelope-history/records';
import { nameInKey, namesKey } from './keys';
import { keysWithPrefix, type Snapshot, type Tables } from './tables';
import type { WriteBatch } from './write-batch';

/** The current permissions of the chain, with an index by key and one by actor. */

const KEY_HASH_BYTES = 16;
const NOTHING = Buffer.from([0]);

/** Keys of WebAuthn can be longer than a table's keys may be, so they are indexed by their hash. */
function keyHash(key: Buffer): Buffer {
  return createHash('sha256').update(key).digest().subarray(0, KEY_HASH_BYTES);
}

/** The owners of permissions that hold a key, sorted, each once. */
export function ownersOfKey(tables: Tables, key: Buffer, snapshot: Snapshot): string[] {
  const prefix = keyHash(key);
  return distinctOwners(keysWithPrefix(tables.keyOwners, prefix, snapshot), KEY_HASH_BYTES);
}

/** The owners of permissions that name an actor, sorted, each once. */
export function ownersOfActor(tables: Tables, actor: string, snapshot: Snapshot): string[] {
  const prefix = nameToSortableBytes(actor);
  return distinctOwners(keysWithPrefix(tables.actorOwners, prefix, snapshot), 8);
}

function distinctOwners(keys: Iterable<Buffer>, ownerOffset: number): string[] {
  const owners: string[] = [];
  for (const key of keys) {
    const owner = nameInKey(key, ownerOffset);
    if (owners.at(-1) !== owner) owners.push(owner);
  }
  return owners;
}

/** Changes permissions in one batch; a later change of the batch sees the earlier ones. */
export class PermissionWriter {
  private readonly changed = new Map<string, { before: Authority | undefined; now: Authority | undefined }>();

  constructor(private readonly tables: Tables) {}

  /** Applies a change and gives the one that takes it back. */
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

  /** Puts the outcome into the batch. */
  flush(batch: WriteBatch): void {
    for (const [name, { before, now }] of this.changed) {
      const key = Buffer.from(name, 'latin1');
      for (const entry of indexEntries(before, key)) batch.remove(this.tables[entry.table], entry.key);
      for (const entry of indexEntries(now, key)) batch.put(this.tables[entry.table], entry.key, NOTHING);
      if (now) batch.put(this.tables.permissions, key, encodeAuthority(now));
      else batch.remove(this.tables.permissions, key);
    }
    this.changed.clear();
  }

  /** Forgets what was applied since the last flush: its batch came to nothing. */
  forget(): void {
    this.changed.clear();
  }
}

interface IndexEntry {
  table: 'keyOwners' | 'actorOwners';
  key: Buffer;
}

function indexEntries(authority: Authority | undefined, permissionKey: Buffer): IndexEntry[] {
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

/** Layout: varuint keys, each length-prefixed; varuint actors, each 8 bytes in key order. */
export function encodeAuthority(authority: Authority): Buffer {
  const writer = new RecordWriter(64);
  writer.varuint(authority.keys.length);
  for (const key of authority.keys) writer.lengthPrefixed(key);
  writer.varuint(authority.actors.length);
  for (const actor of authority.actors) writer.copy(nameToSortableBytes(actor), 0, 8);
  return writer.view(0);
}

export function decodeAuthority(reader: ByteReader): Authority {
  const keys = Array.from({ length: readVaruint(reader) }, () => Buffer.from(reader.lengthPrefixed()));
  const actors = Array.from({ length: readVaruint(reader) }, () => nameInKey(reader.slice(8), 0));
  return { keys, actors };
}
