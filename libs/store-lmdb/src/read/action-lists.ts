import type { ActionFilter, ActionsQuery } from '@antelope-history/store';
import { ALL_KINDS, FURTHER_TRACES, WHOLE_CHAIN } from '../format/action-kinds';
import { chunkKey, CHUNK_KEY_BYTES, listPrefix, nameInKey } from '../format/keys';
import type { Snapshot, Tables } from '../format/tables';
import { PostingList, PostingSet } from './posting-set';
import { kindOf, namesOfKind } from './read-kinds';

/** The posting lists whose union has the actions that a query matches, bounds aside. */
export function listsOfQuery(tables: Tables, query: ActionsQuery, snapshot: Snapshot): PostingSet {
  const rootsOnly = query.parent === 'root';
  const account = query.account ?? WHOLE_CHAIN;
  const list = (kind: number): PostingList =>
    new PostingList(tables.postings, listPrefix(account, kind), rootsOnly, snapshot);
  if (query.filters.length === 0) return new PostingSet([list(ALL_KINDS)]);
  if (account !== WHOLE_CHAIN) {
    return new PostingSet(matchingKindsOf(tables, account, query.filters, snapshot).map(list));
  }
  const { kinds, common } = kindsOfChainFilters(tables, query.filters, snapshot);
  return new PostingSet(kinds.map(list), common.map(list));
}

/** The actions of an account, by their sequences, and its traces: one posting each, though not always with the trace's sequence. */
export function listsOfAccount(
  tables: Tables,
  account: string,
  snapshot: Snapshot,
): { actions: PostingSet; traces: PostingSet } {
  const list = (kind: number): PostingList =>
    new PostingList(tables.postings, listPrefix(account, kind), false, snapshot);
  return {
    actions: new PostingSet([list(ALL_KINDS)]),
    traces: new PostingSet([list(ALL_KINDS), list(FURTHER_TRACES)]),
  };
}

/** The action kinds of an account that the filters match; their lists share no posting. */
function matchingKindsOf(tables: Tables, account: string, filters: ActionFilter[], snapshot: Snapshot): number[] {
  if (filters.every((filter) => filter.account !== undefined && filter.name !== undefined)) {
    return existingKinds(tables, filters, snapshot);
  }
  const matching: number[] = [];
  for (const kind of kindsOfAccount(tables, account, snapshot)) {
    const names = namesOfKind(tables, kind, snapshot);
    if (filters.some((filter) => matches(filter, names))) matching.push(kind);
  }
  return matching;
}

function matches(filter: ActionFilter, action: { account: string; name: string }): boolean {
  return (
    (filter.account === undefined || filter.account === action.account) &&
    (filter.name === undefined || filter.name === action.name)
  );
}

/** The action kinds of an account, by one key search each. */
function* kindsOfAccount(tables: Tables, account: string, snapshot: Snapshot): Generator<number> {
  let kind = ALL_KINDS;
  for (;;) {
    const start = chunkKey(listPrefix(account, kind + 1), 0);
    let found: number | undefined;
    for (const key of tables.postings.getKeys({ start, limit: 1, transaction: snapshot })) {
      if (key.length === CHUNK_KEY_BYTES && nameInKey(key, 0) === account) found = key.readUInt32BE(8);
    }
    if (found === undefined || found === FURTHER_TRACES) return;
    yield found;
    kind = found;
  }
}

/**
 * The whole chain has lists of (contract, any) and (any, name). A contract's list and a name's list share the postings of
 * the list (contract, name); once narrower filters are dropped, no other lists share postings.
 */
function kindsOfChainFilters(
  tables: Tables,
  filters: ActionFilter[],
  snapshot: Snapshot,
): { kinds: number[]; common: number[] } {
  const contracts = new Set(filters.filter(({ name }) => name === undefined).map(({ account }) => account));
  const names = new Set(filters.filter(({ account }) => account === undefined).map(({ name }) => name));
  const kept = filters.filter(
    ({ account, name }) => account === undefined || name === undefined || !(contracts.has(account) || names.has(name)),
  );
  const crossings: ActionFilter[] = [];
  for (const account of contracts) for (const name of names) crossings.push({ account, name });
  return {
    kinds: existingKinds(tables, kept, snapshot),
    common: existingKinds(tables, crossings, snapshot),
  };
}

function existingKinds(tables: Tables, filters: ActionFilter[], snapshot: Snapshot): number[] {
  const kinds = new Set<number>();
  for (const filter of filters) {
    const kind = kindOf(tables, filter, snapshot);
    if (kind !== undefined) kinds.add(kind);
  }
  return [...kinds];
}
