import type { RootDatabase } from 'lmdb';
import { nameToSortableBytes } from '@antelope-history/abi';
import { NAME_BYTES, nameInKey, namesKey } from '../format/keys';
import { KEY_HASH_BYTES, keyHash } from '../format/permissions';
import { tooManyAccounts } from '@antelope-history/store';
import { keysWithPrefix, openTextKeys, type Snapshot, type Tables, type TextKeyTable } from '../format/tables';

/** Keys that are read at once: about 2 ms. */
const KEYS_AT_ONCE = 2_000;
/** What a key takes, in the steps of `SearchPause`. */
const STEPS_PER_KEY = 10;

/** Whether an account has the permission `owner` now. */
export function hasOwnerPermission(tables: Tables, account: string, snapshot: Snapshot): boolean {
  return tables.permissions.get(namesKey(account, 'owner'), { transaction: snapshot }) !== undefined;
}

/** The tables of owners; their keys are read as the owner's name. Lists yield the steps that they took since the last time. */
export class OwnerTables {
  private readonly byKey: TextKeyTable;
  private readonly byActor: TextKeyTable;

  constructor(root: RootDatabase) {
    this.byKey = openTextKeys(root, 'keyOwners', (key, start) => nameInKey(key, start + KEY_HASH_BYTES));
    this.byActor = openTextKeys(root, 'actorOwners', (key, start) => nameInKey(key, start + NAME_BYTES));
  }

  /** The owners of permissions that hold a key, sorted, without duplicates. */
  ofKey(key: Buffer, maxAccounts: number, snapshot: Snapshot): Generator<number, string[]> {
    return distinct(keysWithPrefix<string>(this.byKey, keyHash(key), snapshot), maxAccounts);
  }

  /** The owners of permissions that name an actor, sorted, without duplicates. */
  ofActor(actor: string, maxAccounts: number, snapshot: Snapshot): Generator<number, string[]> {
    return distinct(keysWithPrefix<string>(this.byActor, nameToSortableBytes(actor), snapshot), maxAccounts);
  }
}

/** Equal texts follow one another. Throws `TOO_MANY_ACCOUNTS` for more than `maxAccounts` different ones. */
function* distinct(sorted: Iterable<string>, maxAccounts: number): Generator<number, string[]> {
  const texts: string[] = [];
  let left = KEYS_AT_ONCE;
  for (const text of sorted) {
    if (left-- === 0) {
      yield KEYS_AT_ONCE * STEPS_PER_KEY;
      left = KEYS_AT_ONCE;
    }
    if (texts[texts.length - 1] === text) continue;
    if (texts.length >= maxAccounts) throw tooManyAccounts(maxAccounts);
    texts.push(text);
  }
  return texts;
}
