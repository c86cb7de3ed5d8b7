import type { JsonObject } from '@antelope-history/json';

/** The fields of a trace that select and order actions (`action_trace` of the history plugin). */
export interface TraceJson extends JsonObject {
  action_ordinal: number;
  creator_action_ordinal: number;
  closest_unnotified_ancestor_action_ordinal: number;
  receipt: JsonObject & { global_sequence: number };
  receiver: string;
  act: JsonObject & { account: string; name: string; authorization: { actor: string; permission: string }[] };
  trx_id: string;
  block_num: number;
  block_time: string;
  producer_block_id: string | null;
}

/** An action with all its traces: that of the contract and one per notified account. */
export interface NaiveAction {
  own: TraceJson;
  traces: TraceJson[];
  /** The global sequence of the trace that created the action; undefined for root actions. */
  creator: number | undefined;
  /** Milliseconds since 1970. */
  timeMs: number;
}

/** The JSON body of a get_actions request. */
export interface ActionsRequest {
  account_name?: string;
  pos?: number | string;
  offset?: number | string;
  filter?: string;
  sort?: string | number;
  after?: string | number;
  before?: string | number;
  parent?: number | string;
}

export interface ActionsPage {
  /** The trace that each row shows. */
  rows: TraceJson[];
  more: boolean;
}

/** Groups traces into actions, oldest first. A notification belongs to its nearest creator that is not a notification. */
export function groupTraces(traces: readonly TraceJson[]): NaiveAction[] {
  const actions = new Map<string, NaiveAction>();
  const sequences = new Map(traces.map((trace) => [`${trace.trx_id}/${trace.action_ordinal}`, sequence(trace)]));
  for (const trace of traces.toSorted((left, right) => sequence(left) - sequence(right))) {
    const { trx_id, creator_action_ordinal: creator } = trace;
    const isNotification = creator !== 0 && trace.receiver !== trace.act.account;
    const ordinal = isNotification ? trace.closest_unnotified_ancestor_action_ordinal : trace.action_ordinal;
    const action = actions.get(`${trx_id}/${ordinal}`);
    if (action) action.traces.push(trace);
    else actions.set(`${trx_id}/${ordinal}`, newAction(trace, sequences.get(`${trx_id}/${creator}`)));
  }
  return [...actions.values()].sort((left, right) => sequence(left.own) - sequence(right.own));
}

function newAction(own: TraceJson, creator: number | undefined): NaiveAction {
  return { own, traces: [own], creator, timeMs: Date.parse(`${own.block_time}Z`) };
}

export function sequence({ receipt }: TraceJson): number {
  return receipt.global_sequence;
}

const DEFAULT_ROWS = 20;
const MAX_ROWS = 1000;

/** The expected page of a request, found by a search of all actions of the chain (oldest first). */
export function queryNaively(actions: readonly NaiveAction[], request: ActionsRequest): ActionsPage {
  const descending = !['asc', '1'].includes(String(request.sort ?? 'desc'));
  const [after, before] = [readBound(request.after), readBound(request.before)];
  const isOfFilter = readFilter(request.filter);
  const chosen = actions
    .filter((action) => isOfAccount(action, request) && isOfParent(action, request) && isOfFilter(action))
    .filter((action) => after(action) >= 0 && before(action) <= 0)
    .map((action) => shownTrace(action, request.account_name));
  if (descending) chosen.reverse();
  const { from, to } = pageOf(request, descending, chosen.length);
  return { rows: chosen.slice(from, to), more: to < chosen.length };
}

/** The range of rows in the requested order: `from` inclusive, `to` exclusive. */
function pageOf({ pos, offset }: ActionsRequest, descending: boolean, count: number): { from: number; to: number } {
  const rows = Math.min(Math.abs(Number(offset ?? 0)) || DEFAULT_ROWS, MAX_ROWS);
  const isBackwards = Number(offset ?? 0) < 0;
  if (Number(pos) === -1 || (pos === undefined && isBackwards)) {
    return descending ? { from: 0, to: Math.min(rows, count) } : { from: Math.max(0, count - rows), to: count };
  }
  const position = Number(pos ?? 0);
  const from = isBackwards ? Math.max(0, position - rows + 1) : position;
  const to = isBackwards ? position + 1 : position + rows;
  return { from: Math.min(from, count), to: Math.min(to, count) };
}

/** Whether an account received or authorised an action; true for every action when the request has no account. */
export function isOfAccount({ own, traces }: NaiveAction, { account_name: account }: ActionsRequest): boolean {
  if (account === undefined) return true;
  for (const { receiver } of traces) if (receiver === account) return true;
  for (const { actor } of own.act.authorization) if (actor === account) return true;
  return false;
}

function isOfParent({ creator }: NaiveAction, { parent }: ActionsRequest): boolean {
  return parent === undefined || (Number(parent) === 0 ? creator === undefined : creator === Number(parent));
}

/** Whether an action is of any of the `code:name` pairs of a filter. */
function readFilter(filter: string | undefined): (action: NaiveAction) => boolean {
  if (filter === undefined) return () => true;
  const pairs = filter.split(',').map((pair) => pair.split(':'));
  return ({ own: { act } }) =>
    pairs.some(
      ([account, name]) => (account === '*' || account === act.account) && (name === '*' || name === act.name),
    );
}

/** A comparison of actions with a bound: negative before it, 0 at it or without a bound, positive after it. */
function readBound(bound: string | number | undefined): (action: NaiveAction) => number {
  if (bound === undefined) return () => 0;
  if (/^\d+$/.test(String(bound))) return ({ own }) => own.block_num - Number(bound);
  const boundMs = Date.parse(hasZone(String(bound)) ? String(bound) : `${bound}Z`);
  return ({ timeMs }) => timeMs - boundMs;
}

const hasZone = (time: string): boolean => /(Z|[+-]\d\d:\d\d)$/.test(time);

/** The trace of a row: that of the account when it received the action, otherwise that of the contract. */
export function shownTrace({ own, traces }: NaiveAction, account: string | undefined): TraceJson {
  return traces.find(({ receiver }) => receiver === account) ?? own;
}
