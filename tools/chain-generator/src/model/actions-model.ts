import type { ExecutedAction, ExecutedTrace, GeneratedBlock, GeneratedTransaction } from '../generated-block';
import { actionTraceJson, blockTime, integerJson } from './node-json';

/** The fields of a `get_actions` request that the model knows. A number may be written as text. */
export interface ActionsRequest {
  account_name?: string;
  pos?: number | string;
  offset?: number | string;
  filter?: string;
  sort?: 'asc' | 'desc' | '1' | '-1' | 1 | -1;
  after?: number | string;
  before?: number | string;
  parent?: number | string;
  /** A data filter of `eosio.token:transfer`, on the fields that are indexed by default. */
  'transfer.from'?: string;
  'transfer.to'?: string;
}

/** Fields that choose actions by what they are, not by what they hold. */
export type ActionConditions = Pick<ActionsRequest, 'filter' | 'after' | 'before' | 'parent'>;

interface Row {
  action: ExecutedAction;
  transaction: GeneratedTransaction;
  block: GeneratedBlock;
}

const DEFAULT_ROWS = 20;
const rowsByBlock = new WeakMap<GeneratedBlock, Row[]>();

/** The actions of a block by global sequence. */
function rowsOf(block: GeneratedBlock): Row[] {
  let rows = rowsByBlock.get(block);
  if (!rows) {
    rows = block.transactions.flatMap((transaction) =>
      transaction.executed.map((action) => ({ action, transaction, block })),
    );
    rowsByBlock.set(block, rows);
  }
  return rows;
}

/** The page of a request over the blocks of a branch, oldest first, found by looking at all of their actions. */
export function actionsPage(
  branch: readonly GeneratedBlock[],
  request: ActionsRequest,
): { actions: object[]; more: boolean } {
  const { account_name: account, sort = 'desc' } = request;
  const isAscending = ['asc', '1'].includes(String(sort));
  const matching = rowsMeeting(branch, request).filter((row) => isOfAccount(row, account) && hasData(row, request));
  if (!isAscending) matching.reverse();
  const { from, to } = pageOf(request, isAscending, matching.length);
  return {
    actions: matching.slice(from, to).map((row) => rowJson(row, account)),
    more: to < matching.length,
  };
}

/** The actions that meet the conditions, of the blocks of a branch. */
export function actionsMeeting(branch: readonly GeneratedBlock[], conditions: ActionConditions): Set<ExecutedAction> {
  return new Set(rowsMeeting(branch, conditions).map(({ action }) => action));
}

function rowsMeeting(branch: readonly GeneratedBlock[], conditions: ActionConditions): Row[] {
  const { filter, parent } = conditions;
  const isOfParent = parent === undefined ? () => true : parentTest(branch, Number(parent));
  const isOfFilter = filterTest(filter);
  return branch
    .filter((block) => isWithin(block, conditions))
    .flatMap(rowsOf)
    .filter((row) => isOfFilter(row) && isOfParent(row));
}

/** The rows that `pos` and `offset` select of all rows in the chosen order: `from` inclusive, `to` exclusive. */
function pageOf({ pos, offset }: ActionsRequest, isAscending: boolean, count: number): { from: number; to: number } {
  const rows = Math.abs(Number(offset ?? 0)) || DEFAULT_ROWS;
  const isBackwards = Number(offset ?? 0) < 0;
  const isNewest = pos === undefined ? isBackwards : Number(pos) === -1;
  if (isNewest) return isAscending ? { from: Math.max(0, count - rows), to: count } : { from: 0, to: rows };
  const position = Number(pos ?? 0);
  if (isBackwards) return { from: Math.max(0, position - rows + 1), to: position + 1 };
  return { from: position, to: position + rows };
}

function rowJson({ action, transaction, block }: Row, account: string | undefined): object {
  const [contractTrace] = action.traces as [ExecutedTrace, ...ExecutedTrace[]];
  const trace = action.traces.find(({ receiver }) => receiver === account) ?? contractTrace;
  return {
    global_action_seq: integerJson(trace.receipt.globalSequence),
    account_action_seq: integerJson(trace.receipt.recvSequence),
    block_num: block.num,
    block_time: blockTime(block),
    action_trace: actionTraceJson(trace, transaction, block),
  };
}

function isWithin(block: GeneratedBlock, { after, before }: ActionConditions): boolean {
  return (after === undefined || distance(block, after) >= 0) && (before === undefined || distance(block, before) <= 0);
}

function distance(block: GeneratedBlock, bound: number | string): number {
  if (/^\d+$/.test(String(bound))) return block.num - Number(bound);
  const hasZone = /(Z|[+-]\d\d:\d\d)$/.test(String(bound));
  return Date.parse(`${blockTime(block)}Z`) - Date.parse(hasZone ? String(bound) : `${bound}Z`);
}

function isOfAccount({ action: { spec, traces } }: Row, account: string | undefined): boolean {
  return (
    account === undefined ||
    traces.some(({ receiver }) => receiver === account) ||
    spec.authorization.some(({ actor }) => actor === account)
  );
}

function filterTest(filter: string | undefined): (row: Row) => boolean {
  if (filter === undefined) return () => true;
  const pairs = filter.split(',').map((pair) => pair.split(':'));
  return ({ action: { spec } }) =>
    pairs.some(([code, name]) => (code === '*' || code === spec.account) && (name === '*' || name === spec.name));
}

/** 0: root actions; otherwise those that the trace with the global sequence created, in the same transaction. */
function parentTest(branch: readonly GeneratedBlock[], parent: number): (row: Row) => boolean {
  if (parent === 0) return ({ action }) => action.traces[0]?.creatorOrdinal === 0;
  for (const { transaction } of branch.flatMap(rowsOf)) {
    const creator = transaction.traces.find(({ receipt }) => receipt.globalSequence === parent);
    if (creator) {
      return (row) => row.transaction === transaction && row.action.traces[0]?.creatorOrdinal === creator.ordinal;
    }
  }
  return () => false;
}

const DATA_FIELDS = ['from', 'to'] as const;

export function hasDataFilter(request: ActionsRequest): boolean {
  return DATA_FIELDS.some((field) => request[`transfer.${field}`] !== undefined);
}

function hasData({ action: { spec } }: Row, request: ActionsRequest): boolean {
  const fields = DATA_FIELDS.filter((field) => request[`transfer.${field}`] !== undefined);
  if (fields.length === 0) return true;
  if (spec.account !== 'eosio.token' || spec.name !== 'transfer' || spec.json === undefined) return false;
  const json = spec.json as Record<string, unknown>;
  return fields.every((field) => json[field] === request[`transfer.${field}`]);
}

/** The global sequences of the traces of a block, notifications included, for requests about what they created. */
export function sequencesOf(block: GeneratedBlock): number[] {
  return rowsOf(block).flatMap(({ action }) => action.traces.map(({ receipt }) => receipt.globalSequence));
}
