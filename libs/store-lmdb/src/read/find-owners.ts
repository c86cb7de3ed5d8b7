import { nameToSortableBytes } from '@antelope-history/abi';
import { NAME_BYTES, nameInKey, namesKey } from '../format/keys';
import { KEY_HASH_BYTES, keyHash } from '../format/permissions';
import { keysWithPrefix, type Snapshot, type Tables } from '../format/tables';

/** Whether an account has the permission `owner` now. */
export function hasOwnerPermission(tables: Tables, account: string, snapshot: Snapshot): boolean {
  return tables.permissions.get(namesKey(account, 'owner'), { transaction: snapshot }) !== undefined;
}

/** The owners of permissions that hold a key, sorted, without duplicates. */
export function ownersOfKey(tables: Tables, key: Buffer, snapshot: Snapshot): string[] {
  return distinctOwners(keysWithPrefix(tables.keyOwners, keyHash(key), snapshot), KEY_HASH_BYTES);
}

/** The owners of permissions that name an actor, sorted, without duplicates. */
export function ownersOfActor(tables: Tables, actor: string, snapshot: Snapshot): string[] {
  return distinctOwners(keysWithPrefix(tables.actorOwners, nameToSortableBytes(actor), snapshot), NAME_BYTES);
}

function distinctOwners(keys: Iterable<Buffer>, ownerOffset: number): string[] {
  const owners: string[] = [];
  for (const key of keys) {
    const owner = nameInKey(key, ownerOffset);
    if (owners.at(-1) !== owner) owners.push(owner);
  }
  return owners;
}
