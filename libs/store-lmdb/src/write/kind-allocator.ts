import type { ActionFilter } from '@antelope-history/store';
import { ALL_KINDS } from '../format/action-kinds';
import { blockKey, kindKey } from '../format/keys';
import type { Tables } from '../format/tables';
import type { WriteBatch } from './write-batch';

/** The three kinds that an action is of. */
export interface ActionKinds {
  exact: number;
  anyName: number;
  anyContract: number;
}

/** Kinds that are kept in memory; a contract may make up names without end. */
const MAX_KNOWN = 200_000;

/** Gives out kinds while writing; kinds are never taken back, a fork leaves at most an unused one. */
export class KindAllocator {
  private readonly known = new Map<string, Map<string, ActionKinds>>();
  /** The kinds that the batch in the making gives out, by their keys. */
  private readonly given = new Map<string, number>();
  private knownCount = 0;
  private next: number;

  constructor(private readonly tables: Tables) {
    this.next = nextKind(tables);
  }

  /** The kinds of an action; writes new ones into the batch. */
  kindsOf(account: string, name: string, batch: WriteBatch): ActionKinds {
    let names = this.known.get(account);
    if (!names) this.known.set(account, (names = new Map<string, ActionKinds>()));
    let kinds = names.get(name);
    if (!kinds) {
      kinds = {
        exact: this.kind({ account, name }, batch),
        anyName: this.kind({ account }, batch),
        anyContract: this.kind({ name }, batch),
      };
      names.set(name, kinds);
      this.knownCount++;
    }
    return kinds;
  }

  /** The batch is in the store. */
  committed(): void {
    this.given.clear();
    if (this.knownCount > MAX_KNOWN) this.forget();
  }

  /** Forgets what is in memory: its batch came to nothing, or it is too much. */
  forget(): void {
    this.known.clear();
    this.knownCount = 0;
    this.given.clear();
    this.next = nextKind(this.tables);
  }

  private kind(filter: ActionFilter, batch: WriteBatch): number {
    const key = kindKey(filter);
    const text = key.toString('latin1');
    const stored = this.given.get(text) ?? this.tables.kinds.get(key)?.readUInt32BE(0);
    if (stored !== undefined) return stored;
    const kind = this.next++;
    this.given.set(text, kind);
    batch.put(this.tables.kinds, key, blockKey(kind));
    batch.put(this.tables.kindNames, blockKey(kind), key);
    return kind;
  }
}

function nextKind(tables: Tables): number {
  for (const key of tables.kindNames.getKeys({ reverse: true, limit: 1 })) return key.readUInt32BE(0) + 1;
  return ALL_KINDS + 1;
}
