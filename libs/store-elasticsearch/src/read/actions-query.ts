import {
  type StoredAction,
  actionBytes,
  childrenPage,
  isChild,
  MAX_PAGE_BYTES,
  type ActionFilter,
  type ActionRows,
  type ActionsQuery,
  type DataCondition,
} from '@antelope-history/store';
import type { Query } from '../client/search';
import { dataTerm } from '../indices/data-terms';
import type { ActionList } from '../indices/found-actions';
import type { SequenceRange } from '../indices/sequence-range';
import { readActions, type ReadAction } from './action-reader';
import { type Scope, scopeOf } from './actions-scope';
import { type DirectoryKey, directoryKeyOf } from './directory-query';
import type { ActionSelection } from './locate-row';
import { findParentTrace } from './parent-trace';
import { openRun, type Page, runsOfPage } from './ranged-list';
import type { QueryState } from './query-state';

const EMPTY: ActionRows = { rows: [], more: false };

/** Reads one page of actions. */
export async function queryActions(state: QueryState, query: ActionsQuery): Promise<ActionRows> {
  const scope = await scopeOf(state, query);
  if (!scope) return EMPTY;
  if (typeof query.parent === 'object') return childrenOf(state, query, query.parent.sequence, scope.sequences);
  const selection: ActionSelection = { scope, filters: filtersOf(query), order: query.order };
  const key = directoryKeyOf(query.account, query.filters, query.data.length > 0 || query.parent !== undefined);
  if (query.window === 'newest' && query.order === 'asc') {
    return newestAscending(state, selection, key, query.limit);
  }
  return takePage(state, selection, key, query);
}

/** The filters of account, contracts and names, without the bounds. */
function filtersOf({ account, filters, data, parent }: ActionsQuery): Query[] {
  return [
    ...data.map(conditionQuery),
    ...(account === undefined ? [] : [{ term: { accounts: account } }]),
    ...(filters.length === 0 ? [] : [{ bool: { should: filters.map(filterQuery), minimum_should_match: 1 } }]),
    ...(parent === 'root' ? [{ term: { root: true } }] : []),
  ];
}

/** Matches the actions that have the value of a condition in one of its fields. */
function conditionQuery({ fields, text }: DataCondition): Query {
  const terms = fields.map(({ contract, action, field }) => {
    const filter: Query[] = [
      { term: { data: dataTerm(field, text) } },
      { term: { contract } },
      { term: { name: action } },
    ];
    return { bool: { filter } };
  });
  return { bool: { should: terms, minimum_should_match: 1 } };
}

function filterQuery({ account, name }: ActionFilter): Query {
  return {
    bool: {
      filter: [
        ...(account === undefined ? [] : [{ term: { contract: account } }]),
        ...(name === undefined ? [] : [{ term: { name } }]),
      ],
    },
  };
}

/** The newest `limit` rows in ascending order: the page begins at the oldest of them. */
async function newestAscending(
  state: QueryState,
  selection: ActionSelection,
  key: DirectoryKey,
  limit: number,
): Promise<ActionRows> {
  const { scope } = selection;
  const backwards: ActionSelection = { ...selection, order: 'desc' };
  let oldest: ReadAction | undefined;
  for await (const row of rowsFrom(state, backwards, key, { skip: limit - 1, limit: 1 })) {
    oldest = row;
    break;
  }
  if (!oldest) return takePage(state, selection, key, { skip: 0, limit });
  const { sequence: start, blockNum: first } = oldest.document;
  const narrowed: Scope = { blocks: { ...scope.blocks, first }, sequences: { ...scope.sequences, start } };
  return takePage(state, { ...selection, scope: narrowed }, { ...key, isExact: false }, { skip: 0, limit });
}

/** Takes rows until the page is full; one row more shows whether any follow. */
async function takePage(
  state: QueryState,
  selection: ActionSelection,
  key: DirectoryKey,
  { skip, limit }: Page,
): Promise<ActionRows> {
  const rows: StoredAction[] = [];
  let bytes = 0;
  for await (const { row } of rowsFrom(state, selection, key, { skip, limit: limit + 1 })) {
    if (rows.length === limit || bytes >= MAX_PAGE_BYTES) return { rows, more: true };
    rows.push(row);
    bytes += actionBytes(row);
  }
  return { rows, more: false };
}

/** The rows of a selection after the first `skip`, at most `limit`. */
async function* rowsFrom(
  state: QueryState,
  selection: ActionSelection,
  key: DirectoryKey,
  page: Page,
): AsyncGenerator<ReadAction> {
  let { skip: rest, limit: missing } = page;
  for await (const run of runsOfPage(state, selection, key, page)) {
    const opened = await openRun(state, selection, run, { skip: rest, limit: missing });
    if ('passed' in opened) {
      rest -= opened.passed;
      continue;
    }
    let passed = 0;
    const list =
      rest > 0 && !opened.hasRows
        ? { ...opened.list, count: { upTo: rest, set: (rows: number) => (passed = rows) } }
        : opened.list;
    const before = missing;
    for await (const row of readActions(state, list, missing)) {
      missing--;
      yield row;
    }
    if (missing === 0) return;
    rest = missing < before ? 0 : rest - passed;
  }
}

/** The actions that one trace created: all of them follow it in its transaction. */
async function childrenOf(
  state: QueryState,
  query: ActionsQuery,
  parentSequence: number,
  { start, end }: SequenceRange,
): Promise<ActionRows> {
  const parent = await findParentTrace(state, parentSequence);
  if (!parent) return EMPTY;
  const rows: StoredAction[] = [];
  for await (const row of laterInTransaction(state, parent.action, query.data.map(conditionQuery))) {
    const { sequence } = row.document;
    const isWithin = sequence >= start && sequence < end;
    if (isWithin && isChild(row.row.action, parent.ordinal, query)) rows.push(row.row);
  }
  return childrenPage(rows, query, (row) => row);
}

/** The later actions of an action's transaction that match. */
async function* laterInTransaction(
  state: QueryState,
  { document }: ReadAction,
  conditions: readonly Query[],
): AsyncGenerator<ReadAction> {
  const { names, progress } = state;
  const { blockNum, block, sequence, transaction } = document;
  const list: ActionList = {
    index: names.ranged('actions', blockNum, progress),
    filters: [{ term: { block } }, { range: { sequence: { gt: sequence } } }, ...conditions],
    order: 'asc',
  };
  for await (const found of readActions(state, list, Infinity)) {
    if (found.document.transaction !== transaction) return;
    yield found;
  }
}
