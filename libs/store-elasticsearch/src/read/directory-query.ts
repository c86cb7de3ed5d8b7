import type { ActionFilter } from '@antelope-history/store';
import { type FoundHit, incomplete, type Query } from '../client/search';
import { withStoreErrors } from '../client/store-errors';
import {
  directoryBlocks,
  type DirectoryDocument,
  type DirectoryEntry,
  type DirectoryIdsDocument,
  directoryIndices,
  ID_DIGITS,
  WHOLE_CHAIN,
} from '../indices/directory';
import { rangeStart } from '../indices/block-ranges';
import { fetchDocValues } from '../indices/hits';
import type { SequenceRange } from '../indices/sequence-range';
import type { QueryState } from './query-state';

/** The rows of one range. */
export interface RangeRows {
  /** The range's first block number. */
  range: number;
  rows: number;
}

/** The ranges that the directory covers and that have rows of a list, ascending. */
export interface DirectoryRanges {
  ranges: readonly RangeRows[];
  /** Whether the counts are those of the list, and not only upper limits. */
  isExact: boolean;
}

/**
 * The entries of the directory that count the rows of a list. `isExact`: their counts are those of the list, and not only upper
 * limits.
 */
export interface DirectoryKey {
  accounts: readonly string[];
  filters: readonly ActionFilter[];
  isExact: boolean;
}

/**
 * A query reads the documents of at most this many accounts. An account has one document of up to 160 KB in each index of the
 * directory.
 */
const MAX_ACCOUNTS = 8;

/**
 * The key of the list of an account's actions, or of those that match filters. The contract of an action is one of its accounts.
 * `narrowed`: whether the list has further conditions.
 */
export function directoryKeyOf(
  account: string | undefined,
  filters: readonly ActionFilter[],
  narrowed: boolean,
): DirectoryKey {
  const contracts = new Set(filters.map((filter) => filter.account));
  if (account !== undefined) return { accounts: [account], filters, isExact: !narrowed };
  if (contracts.size > 0 && contracts.size <= MAX_ACCOUNTS && !contracts.has(undefined)) {
    return { accounts: [...contracts] as string[], filters, isExact: !narrowed };
  }
  return { accounts: [WHOLE_CHAIN], filters: [], isExact: !narrowed && filters.length === 0 };
}

/** What the directory says of a list; see `knownRanges`. */
export function findRanges(state: QueryState, key: DirectoryKey): Promise<DirectoryRanges> {
  return throughCache(state, nameOf(key), () => readRanges(state, key));
}

/** The result of an earlier `findRanges` if the directory still says the same. */
export function knownRanges({ caches, progress }: QueryState, key: DirectoryKey): DirectoryRanges | undefined {
  return caches.directory.find(nameOf(key), progress);
}

function nameOf({ accounts, filters, isExact }: DirectoryKey): string {
  return JSON.stringify(['rows', isExact, accounts, filters.map(({ account, name }) => [account, name])]);
}

async function throughCache(
  { caches, progress }: QueryState,
  list: string,
  read: () => Promise<DirectoryRanges>,
): Promise<DirectoryRanges> {
  const known = caches.directory.find(list, progress);
  if (known) return known;
  const found = await read();
  caches.directory.keep(list, found, progress);
  return found;
}

async function readRanges(state: QueryState, key: DirectoryKey): Promise<DirectoryRanges> {
  const rows = new Map<number, number>();
  let { isExact } = key;
  for (const { account, entry } of await readEntries(state, key.accounts)) {
    const counted = countOf(entry, key, account);
    isExact &&= counted !== undefined;
    const count = counted ?? entry.rows;
    if (count > 0) rows.set(entry.range, (rows.get(entry.range) ?? 0) + count);
  }
  const ranges = [...rows].map(([range, count]) => ({ range, rows: count }));
  return { ranges: ranges.sort((one, other) => one.range - other.range), isExact };
}

/** The traces of an account in the ranges that the directory covers, ascending. */
export async function findTraces(state: QueryState, account: string): Promise<readonly RangeRows[]> {
  const { ranges } = await throughCache(state, JSON.stringify(['traces', account]), async () => {
    const found = await readEntries(state, [account]);
    const traces = found.map(({ entry }) => ({ range: entry.range, rows: entry.traces }));
    return { ranges: traces.sort((one, other) => one.range - other.range), isExact: true };
  });
  return ranges;
}

/** The entries of accounts in covered ranges. */
async function readEntries(
  { searcher, names, progress }: QueryState,
  accounts: readonly string[],
): Promise<{ account: string; entry: DirectoryEntry }[]> {
  const covered = directoryBlocks(progress);
  if (!covered) return [];
  const first = rangeStart(covered.first, progress);
  const indices = directoryIndices(names, covered, progress);
  const wanted = indices.flatMap((index) => accounts.map((account) => ({ _index: index, _id: account })));
  const { docs } = await withStoreErrors(searcher.client.mget<DirectoryDocument>({ docs: wanted }));
  return docs.flatMap((doc, position) => {
    if ('error' in doc) throw incomplete('an index of the directory is missing');
    const ranges = doc._source?.ranges ?? [];
    const account = wanted[position]?._id ?? '';
    return ranges.filter(({ range }) => range >= first && range <= covered.last).map((entry) => ({ account, entry }));
  });
}

/** The number of rows that match the filters; undefined when the entry has no counts per action. `account`: whose entry it is. */
function countOf(entry: DirectoryEntry, { filters, accounts }: DirectoryKey, account: string): number | undefined {
  if (filters.length === 0) return entry.rows;
  if (!entry.actions) return undefined;
  const own = accounts.length > 1 ? filters.filter((filter) => filter.account === account) : filters;
  let count = 0;
  for (const [action, rows] of Object.entries(entry.actions)) {
    const [contract, name] = action.split(':');
    const matches = own.some(
      (filter) =>
        (filter.account === undefined || filter.account === contract) &&
        (filter.name === undefined || filter.name === name),
    );
    if (matches) count += rows;
  }
  return count;
}

/** Where the directory has a transaction. */
export interface TransactionPlace {
  /** The range's first block number. */
  range: number;
  /** Few sequences, with all of the transaction's among them; undefined when they are too many to be read at once. */
  sequences: SequenceRange | undefined;
}

/** A search returns at most this many documents of transaction ids. An id of 16 digits is almost always in one of them only. */
const MAX_CANDIDATES = 100;

/**
 * The places of the transactions in covered ranges whose ids may begin with the prefix. Undefined when there are too many, because
 * the prefix is short.
 */
export async function placesOfTransaction(
  state: QueryState,
  idPrefix: string,
): Promise<TransactionPlace[] | undefined> {
  const { searcher, names, progress } = state;
  const covered = directoryBlocks(progress);
  if (!covered) return [];
  const start = idPrefix.slice(0, ID_DIGITS);
  const wanted: Query = start.length === ID_DIGITS ? { term: { ids: start } } : { prefix: { ids: start } };
  const indices = directoryIndices(names, covered, progress);
  const { hits } = await searcher.search({
    index: indices.join(),
    minIndices: indices.length,
    filters: [wanted, { range: { range: { gte: rangeStart(covered.first, progress), lte: covered.last } } }],
    size: MAX_CANDIDATES,
    fetch: fetchDocValues('range', 'first_sequence', 'sequence_count'),
  });
  return hits.length === MAX_CANDIDATES ? undefined : hits.map(placeOf);
}

function placeOf({ fields }: FoundHit): TransactionPlace {
  const value = (field: keyof DirectoryIdsDocument): number | undefined => fields?.[field]?.[0] as number | undefined;
  const [start, count] = [value('first_sequence'), value('sequence_count')];
  const sequences = start === undefined || count === undefined ? undefined : { start, end: start + count };
  return { range: value('range') as number, sequences };
}
