import type { ActionFilter } from '@antelope-history/store';
import { blockKey, kindKey } from '../format/keys';
import type { Tables } from '../format/tables';

/** The kinds of an action; `NO_KIND` where the store has none, or another name for it. */
export interface StoredKinds {
  exact: number;
  anyName: number;
  anyContract: number;
}

/** Never allocated. */
const NO_KIND = 0xffffffff;

/** The number of action names that contracts invent has no limit. */
const MAX_KNOWN = 200_000;

/** Finds the kinds of actions, and remembers some. */
export class KnownKinds {
  private readonly known = new Map<string, StoredKinds>();

  constructor(private readonly tables: Tables) {}

  of(account: string, name: string): StoredKinds {
    const key = `${account} ${name}`;
    let kinds = this.known.get(key);
    if (!kinds) {
      if (this.known.size >= MAX_KNOWN) this.known.clear();
      kinds = {
        exact: this.kind({ account, name }),
        anyName: this.kind({ account }),
        anyContract: this.kind({ name }),
      };
      this.known.set(key, kinds);
    }
    return kinds;
  }

  /** A filter for all actions of a contract searches the kinds by their names, so both directions must agree. */
  private kind(filter: Partial<ActionFilter>): number {
    const key = kindKey(filter);
    const kind = this.tables.kinds.get(key)?.readUInt32BE(0);
    return kind !== undefined && this.tables.kindNames.get(blockKey(kind))?.equals(key) ? kind : NO_KIND;
  }
}
