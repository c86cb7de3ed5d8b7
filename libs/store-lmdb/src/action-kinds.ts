import type { ActionFilter } from '@antelope-history/store';
import { blockKey, nameInKey, namesKey } from './keys';
import type { Snapshot, Tables } from './tables';

/**
 * Posting lists are told apart by a small number, the action kind: 0 for all actions, else one per (contract, name).
 * For the lists of the whole chain there are kinds for (contract, any) and (any, name) too, so that a filter with a
 * wildcard does not have to join thousands of lists.
 */
export const ALL_KINDS = 0;

/** The account under which the lists of the whole chain lie: no account has the empty name. */
export const WHOLE_CHAIN = '';

/** The kind of a filter, if any action of that kind was ever stored. */
export function kindOf(tables: Tables, filter: ActionFilter, snapshot: Snapshot): number | undefined {
  const stored = tables.kinds.get(namesKey(filter.account ?? '', filter.name ?? ''), { transaction: snapshot });
  return stored?.readUInt32BE(0);
}

/** The contract and the action name of a kind. */
export function namesOfKind(tables: Tables, kind: number, snapshot: Snapshot): { account: string; name: string } {
  const stored = tables.kindNames.get(blockKey(kind), { transaction: snapshot });
  if (!stored) return { account: '', name: '' };
  return { account: nameInKey(stored, 0), name: nameInKey(stored, 8) };
}

/** Gives out kinds while writing; kinds are never taken back, a fork leaves at most an unused one. */
export class KindAllocator {
  private readonly known = new Map<string, Map<string, number>>();
  private next: number;

  constructor(private readonly tables: Tables) {
    this.next = 1;
    for (const key of tables.kindNames.getKeys({ reverse: true, limit: 1 })) this.next = key.readUInt32BE(0) + 1;
  }

  /** The kind of (contract, name); either may be '' for any. Writes a new one into the batch under way. */
  kind(account: string, name: string): number {
    let names = this.known.get(account);
    if (!names) this.known.set(account, (names = new Map<string, number>()));
    let kind = names.get(name);
    if (kind === undefined) {
      kind = this.load(account, name);
      names.set(name, kind);
    }
    return kind;
  }

  private load(account: string, name: string): number {
    const key = namesKey(account, name);
    const stored = this.tables.kinds.get(key);
    if (stored) return stored.readUInt32BE(0);
    const kind = this.next++;
    void this.tables.kinds.put(key, blockKey(kind));
    void this.tables.kindNames.put(blockKey(kind), key);
    return kind;
  }
}
