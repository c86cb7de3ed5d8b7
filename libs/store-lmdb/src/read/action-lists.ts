import { HistoryError } from '@antelope-history/schemas';
import type { ActionFilter, ActionsQuery } from '@antelope-history/store';
import { ALL_KINDS, FIRST_DATA_KIND, FURTHER_TRACES, SYSTEM_ACCOUNT, WHOLE_CHAIN } from '../format/action-kinds';
import { readFact } from '../format/chain-facts';
import { chunkKey, CHUNK_KEY_BYTES, dataKindKey, dataValueName, listPrefix, nameInKey } from '../format/keys';
import type { Snapshot, Tables } from '../format/tables';
import { PostingList, PostingSet } from './posting-set';
import { kindOf, namesOfKind } from './read-kinds';

/** The posting lists whose union has the actions that a query without conditions on data matches, bounds aside. */
export function listsOfQuery(tables: Tables, query: ActionsQuery, snapshot: Snapshot): PostingSet {
  const rootsOnly = query.parent === 'root';
  const account = query.account ?? WHOLE_CHAIN;
  const list = (kind: number): PostingList =>
    new PostingList(tables.postings, listPrefix(account, kind), rootsOnly, snapshot);
  if (query.filters.length === 0) return new PostingSet([list(ALL_KINDS)]);
  // A contract can have any number of kinds of actions.
  const isContracts = query.filters.every((filter) => isReceivedBy(account, filter));
  if (account !== WHOLE_CHAIN && !isContracts) {
    return new PostingSet(matchingKindsOf(tables, account, query.filters, snapshot).map(list));
  }
  const { kinds, common } = kindsOfChainFilters(tables, query.filters, snapshot);
  const chainList = (kind: number): PostingList =>
    new PostingList(tables.postings, listPrefix(WHOLE_CHAIN, kind), rootsOnly, snapshot);
  return new PostingSet(kinds.map(chainList), common.map(chainList));
}

/**
 * The sets whose intersection has the actions that a query with conditions on data matches: one per condition, and those of the
 * account unless the lists of a condition are its own.
 */
export function setsOfData(tables: Tables, query: ActionsQuery, snapshot: Snapshot): PostingSet[] {
  const { account, data, filters, parent } = query;
  const fromBlocks = readFact(tables, 'dataFields', snapshot) ?? {};
  const firstKinds = readFact(tables, 'firstDataKinds', snapshot) ?? {};
  const rootsOnly = parent === 'root';
  let isOfAccount = account === undefined;
  const sets = data.map(({ fields, text }) => {
    const matching = fields.filter(({ contract, action }) => isOfFilters(filters, { account: contract, name: action }));
    const isContracts = matching.every(({ contract, action }) =>
      isReceivedBy(account, { account: contract, name: action }),
    );
    const isValues = account === text;
    isOfAccount ||= isContracts || isValues;
    const owner = isValues && !isContracts ? text : WHOLE_CHAIN;
    const lists = matching.flatMap(({ key }) => {
      const kind = dataKindIn(tables, { key, from: fromBlocks[key], first: firstKinds[key] ?? 0, text }, snapshot);
      return kind === undefined ? [] : [new PostingList(tables.postings, listPrefix(owner, kind), rootsOnly, snapshot)];
    });
    // The fields of a condition are those of different actions, so that their lists share no posting.
    return new PostingSet(lists);
  });
  if (isOfAccount) return sets;
  const actions = data.flatMap(({ fields }) =>
    fields.map(({ contract, action }) => ({ account: contract, name: action })),
  );
  return [listsOfQuery(tables, { ...query, filters: actions, data: [] }, snapshot), ...sets];
}

/**
 * Whether an account receives all actions that a filter matches. A contract receives its own, except that the sender of a deferred
 * transaction receives `eosio::onerror` in its place (nodeos controller.cpp, apply_onerror).
 */
function isReceivedBy(account: string | undefined, { account: contract, name }: ActionFilter): boolean {
  const mayBeOnerror = contract === SYSTEM_ACCOUNT && (name === undefined || name === 'onerror');
  return contract === account && !mayBeOnerror;
}

function dataKindIn(
  tables: Tables,
  { key, from, first, text }: { key: string; from: number | undefined; first: number; text: string },
  snapshot: Snapshot,
): number | undefined {
  if (from === undefined) return undefined;
  const stored = tables.kinds.get(dataKindKey(dataValueName(key, from, text)), { transaction: snapshot });
  const kind = stored?.readUInt32BE(0);
  return kind !== undefined && kind >= FIRST_DATA_KIND + first ? kind : undefined;
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

/**
 * At most this many action kinds of an account are looked through, 13 µs each. A contract can have any number of actions, and can
 * notify any account.
 */
const MAX_KINDS = 10_000;

/**
 * The action kinds of an account that the filters match; their lists share no posting. Throws `QUERY_TOO_BROAD` beyond
 * MAX_KINDS.
 */
function matchingKindsOf(tables: Tables, account: string, filters: ActionFilter[], snapshot: Snapshot): number[] {
  if (filters.every((filter) => filter.account !== undefined && filter.name !== undefined)) {
    return existingKinds(tables, filters, snapshot);
  }
  const matching: number[] = [];
  let seen = 0;
  for (const kind of kindsOfAccount(tables, account, snapshot)) {
    if (++seen > MAX_KINDS) {
      const detail = `${account} has more than ${MAX_KINDS} kinds of actions: name contract and action in filter`;
      throw new HistoryError('QUERY_TOO_BROAD', detail);
    }
    const names = namesOfKind(tables, kind, snapshot);
    if (isOfFilters(filters, names)) matching.push(kind);
  }
  return matching;
}

function isOfFilters(filters: readonly ActionFilter[], action: { account: string; name: string }): boolean {
  return filters.length === 0 || filters.some((filter) => matches(filter, action));
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
    if (found === undefined || found >= FIRST_DATA_KIND) return;
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
