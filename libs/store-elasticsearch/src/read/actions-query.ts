import {
  type StoredAction,
  actionBytes,
  childrenPage,
  MAX_PAGE_BYTES,
  type ActionFilter,
  type ActionRows,
  type ActionsQuery,
  type DataCondition,
} from '@antelope-history/store';
import type { Query } from '../client/search';
import { dataTerm } from '../indices/data-terms';
import type { ActionDocument } from '../indices/documents';
import { readActions, type ActionList, type ReadAction } from './action-reader';
import { inSequences, scopeOf } from './actions-scope';
import { historyBlocks, onBranch } from './branch-filter';
import { locateRow, type ActionSelection } from './locate-row';
import type { SequenceRange } from './row-location';
import { wholeHistory, type Snapshot } from './snapshot';

const EMPTY: ActionRows = { rows: [], more: false };

/** Reads one page of actions. */
export async function queryActions(snapshot: Snapshot, query: ActionsQuery): Promise<ActionRows> {
  const scope = await scopeOf(snapshot, query);
  if (!scope) return EMPTY;
  if (typeof query.parent === 'object') return childrenOf(snapshot, query, query.parent.sequence, scope.sequences);
  const selection: ActionSelection = { scope, wanted: wantedBy(query), order: query.order };
  if (query.window === 'newest' && query.order === 'asc') return newestAscending(snapshot, selection, query.limit);
  const position = await locateRow(snapshot, selection, query.skip);
  if (!position) return EMPTY;
  return takePage(snapshot, listAt(snapshot, selection, position.sequences, position.from), query.limit);
}

/** The filters of account, contracts and names, without the bounds. */
function wantedBy({ account, filters, data, parent }: ActionsQuery): Query[] {
  return [
    ...data.map(holding),
    ...(account === undefined ? [] : [{ term: { accounts: account } }]),
    ...(filters.length === 0 ? [] : [{ bool: { should: filters.map(matching), minimum_should_match: 1 } }]),
    ...(parent === 'root' ? [{ term: { root: true } }] : []),
  ];
}

/** The action is the one of a field, and has its term. */
function holding({ fields, text }: DataCondition): Query {
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

function matching({ account, name }: ActionFilter): Query {
  return {
    bool: {
      filter: [
        ...(account === undefined ? [] : [{ term: { contract: account } }]),
        ...(name === undefined ? [] : [{ term: { name } }]),
      ],
    },
  };
}

function listAt(
  snapshot: Snapshot,
  { scope, wanted, order }: ActionSelection,
  sequences: SequenceRange,
  from: number,
): ActionList {
  const { progress } = snapshot;
  const history = historyBlocks(progress) ?? scope.blocks;
  return {
    ...wholeHistory(snapshot, 'actions'),
    filters: [...wanted, ...inSequences(sequences), onBranch(progress, history)],
    order,
    from,
  };
}

/** The newest `limit` rows in ascending order: the page begins at the oldest of them. */
async function newestAscending(snapshot: Snapshot, selection: ActionSelection, limit: number): Promise<ActionRows> {
  const { scope } = selection;
  const backwards: ActionSelection = { ...selection, order: 'desc' };
  const position = await locateRow(snapshot, backwards, limit - 1);
  const list = position && listAt(snapshot, backwards, position.sequences, position.from);
  const { hits } = list
    ? await snapshot.searcher.search({ ...list, size: 1, sort: [{ sequence: 'desc' }] })
    : { hits: [] };
  const start = Math.max(scope.sequences.start, hits[0]?.sort[0] ?? 0);
  return takePage(snapshot, listAt(snapshot, selection, { ...scope.sequences, start }, 0), limit);
}

/** Takes rows until the page is full; one row more shows whether any follow. */
async function takePage({ searcher }: Snapshot, list: ActionList, limit: number): Promise<ActionRows> {
  const rows: StoredAction[] = [];
  let bytes = 0;
  for await (const { row } of readActions(searcher, list, limit + 1)) {
    if (rows.length === limit || bytes >= MAX_PAGE_BYTES) return { rows, more: true };
    rows.push(row);
    bytes += actionBytes(row);
  }
  return { rows, more: false };
}

/** The actions that one trace created: all of them follow it in its transaction. */
async function childrenOf(
  snapshot: Snapshot,
  query: ActionsQuery,
  parentSequence: number,
  { start, end }: SequenceRange,
): Promise<ActionRows> {
  const parent = await actionUpTo(snapshot, parentSequence);
  const trace = parent?.row.action.traces.find(({ receipt }) => receipt.globalSequence === parentSequence);
  if (!parent || !trace) return EMPTY;
  const rows: StoredAction[] = [];
  for await (const row of laterInTransaction(snapshot, parent)) {
    const { sequence } = row.document;
    if (sequence >= start && sequence < end && matchesData(row.document, query.data)) rows.push(row.row);
  }
  return childrenPage(rows, trace.ordinal, query);
}

function matchesData({ contract, name, data = [] }: ActionDocument, conditions: readonly DataCondition[]): boolean {
  return conditions.every(({ fields, text }) =>
    fields.some(
      (field) => field.contract === contract && field.action === name && data.includes(dataTerm(field.field, text)),
    ),
  );
}

/** The action with the trace of a sequence, its contract's or a notified account's: the latter follow the former. */
async function actionUpTo(snapshot: Snapshot, sequence: number): Promise<ReadAction | undefined> {
  const { searcher, progress } = snapshot;
  const blocks = historyBlocks(progress);
  if (!blocks) return undefined;
  const list: ActionList = {
    ...wholeHistory(snapshot, 'actions'),
    filters: [{ range: { sequence: { lte: sequence } } }, onBranch(progress, blocks)],
    order: 'desc',
    from: 0,
  };
  for await (const found of readActions(searcher, list, 1)) return found;
  return undefined;
}

async function* laterInTransaction(
  { searcher, names, progress }: Snapshot,
  { document }: ReadAction,
): AsyncGenerator<ReadAction> {
  const list: ActionList = {
    index: names.ranged('actions', document.block_num, progress.blocks_per_index),
    filters: [{ term: { block: document.block } }, { range: { sequence: { gt: document.sequence } } }],
    order: 'asc',
    from: 0,
  };
  for await (const found of readActions(searcher, list, Infinity)) {
    if (found.document.transaction !== document.transaction) return;
    yield found;
  }
}
