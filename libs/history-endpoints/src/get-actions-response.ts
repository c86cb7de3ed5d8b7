import { shownHeads } from '@antelope-history/endpoint-kit';
import type { GetActionsByPositionResponse, GetActionsResponse } from '@antelope-history/history-routes';
import { JsonFragment, jsonText, JsonWriter } from '@antelope-history/json';
import type { ActionTrace } from '@antelope-history/records';
import {
  type AbiDecoders,
  AbiRequestSet,
  ownTrace,
  type ResponseBudget,
  writeAct,
  writeInteger64,
} from '@antelope-history/responses';
import type { AbiRequest, AccountTracesPage, ActionsPage, StoredAction } from '@antelope-history/store';
import {
  BlockContext,
  type TraceContext,
  undecodedTraceBytes,
  writeActionTrace,
  writeOmittedTrace,
} from './action-trace';

/** The ABIs that `renderActions` needs. */
export function abisOfActions(rows: readonly StoredAction[]): AbiRequest[] {
  const requests = new AbiRequestSet();
  for (const { action, blockNum } of rows) requests.addAction(action, blockNum);
  return requests.list();
}

/** A row of a response: an action, the trace that it shows, and its `account_action_seq`. */
interface ShownRow {
  row: StoredAction;
  trace: ActionTrace;
  accountActionSeq: bigint | number;
  block: BlockContext;
}

/**
 * Renders a page. A row shows the trace of `account` if the account received the action, otherwise the contract's own. The page
 * has at least one row and ends before the next row that, when decoded, exceeds the budget. Yields between rows.
 */
export function* renderActions(
  page: ActionsPage,
  account: string | undefined,
  decoders: AbiDecoders,
  budget: ResponseBudget,
): Generator<void, GetActionsResponse> {
  const out = new JsonWriter();
  const ends = yield* renderRows(out, shownRows(page.rows, account), decoders, budget);
  const { head, lastIrreversible } = shownHeads(page.status);
  return {
    actions: new JsonFragment<RowJson[]>(out.pieces()).inPlace(),
    last_irreversible_block: lastIrreversible,
    head_block_num: head,
    more: page.more || ends.length < page.rows.length,
  };
}

/** The rows of `renderActions` that fit the budget, as JSON. */
export function* renderActionRows(
  rows: readonly StoredAction[],
  account: string | undefined,
  decoders: AbiDecoders,
  budget: ResponseBudget,
): Generator<void, string[]> {
  const out = new JsonWriter();
  const ends = yield* renderRows(out, shownRows(rows, account), decoders, budget);
  const text = out.copyFrom(0);
  // The bracket or comma before each row is left out.
  return ends.map((end, index) => text.toString('utf8', (ends[index - 1] ?? 0) + 1, end));
}

function shownRows(rows: readonly StoredAction[], account: string | undefined): ShownRow[] {
  const blockOf = createBlockContexts();
  return rows.map((row) => {
    const trace = traceOf(row, account);
    return { row, trace, accountActionSeq: trace.receipt.recvSequence, block: blockOf(row) };
  });
}

/** The returned function reuses the context of the row before, because neighbouring rows are often of the same block. */
function createBlockContexts(): (row: StoredAction) => BlockContext {
  let last: BlockContext | undefined;
  return ({ blockNum, blockId, blockTimestamp }) => {
    if (last?.blockNum !== blockNum || last.blockId !== blockId) {
      last = new BlockContext(blockNum, blockId, blockTimestamp);
    }
    return last;
  };
}

/**
 * Renders a page in the form of the history plugin. The page may end early, like that of `renderActions`. Yields between rows.
 */
export function* renderTraces(
  page: AccountTracesPage,
  decoders: AbiDecoders,
  budget: ResponseBudget,
): Generator<void, GetActionsByPositionResponse> {
  const blockOf = createBlockContexts();
  const shown = page.rows.map((row): ShownRow => ({
    row,
    trace: row.trace,
    accountActionSeq: row.position,
    block: blockOf(row),
  }));
  const out = new JsonWriter();
  const ends = yield* renderRows(out, shown, decoders, budget);
  const { head, lastIrreversible } = shownHeads(page.status);
  return {
    actions: new JsonFragment<RowJson[]>(out.pieces()).inPlace(),
    last_irreversible_block: lastIrreversible,
    head_block_num: head,
    ...((page.more || ends.length < page.rows.length) && { time_limit_exceeded_error: true as const }),
  };
}

type RowJson = GetActionsResponse['actions'][number];

/** Writes the array of the rows that fit the budget, at least one. Returns the positions at which the rows end. */
function* renderRows(
  out: JsonWriter,
  shown: readonly ShownRow[],
  decoders: AbiDecoders,
  budget: ResponseBudget,
): Generator<void, number[]> {
  const ends: number[] = [];
  out.raw('[');
  for (const each of shown) {
    const before = out.length;
    if (ends.length > 0) out.raw(',');
    if (!writeRow(out, each, decoders, budget, ends.length === 0)) {
      out.truncate(before);
      break;
    }
    ends.push(out.length);
    if (budget.isPauseDue()) yield;
  }
  out.raw(']');
  return ends;
}

/**
 * Writes a row; returns false if it does not fit the budget. The first row is always written, if need be undecoded or without its
 * data.
 */
function writeRow(
  out: JsonWriter,
  shown: ShownRow,
  decoders: AbiDecoders,
  budget: ResponseBudget,
  isFirst: boolean,
): boolean {
  const { row, trace } = shown;
  const { action, blockNum } = row;
  const { decoding } = budget;
  const undecodedBytes = undecodedTraceBytes(action, trace);
  const fits = budget.hasRoom(undecodedBytes);
  const start = out.length;
  if (fits) {
    const decoder = decoders.at(action.account, blockNum, ownTrace(action).receipt.globalSequence);
    const maxBytes = undecodedBytes - decoding.spent;
    writeRowOf(out, shown, (context) =>
      writeActionTrace(out, action, trace, () => writeAct(out, action, decoder, decoding), context, decoder, decoding),
    );
    const isKept = !decoding.exceeded || isFirst;
    const isTaken = isKept && budget.takePart(out.length - start, maxBytes + decoding.spent);
    if (isTaken || !isFirst) return isTaken;
    out.truncate(start);
  }
  if (!isFirst) return false;
  writeRowOf(out, shown, (context) =>
    fits
      ? writeActionTrace(out, action, trace, () => writeAct(out, action, undefined), context, undefined)
      : writeOmittedTrace(out, action, trace, context),
  );
  budget.takeAnyway(out.length - start);
  return true;
}

function writeRowOf(
  out: JsonWriter,
  { row, trace: { receipt }, accountActionSeq, block }: ShownRow,
  writeTrace: (context: TraceContext) => void,
): void {
  writeInteger64(out.bytes(GLOBAL_ACTION_SEQ), receipt.globalSequence);
  writeInteger64(out.bytes(ACCOUNT_ACTION_SEQ), accountActionSeq);
  out.raw(',').bytes(block.place).bytes(ACTION_TRACE);
  writeTrace({ transactionId: row.transactionId, block });
  out.raw('}');
}

const GLOBAL_ACTION_SEQ = jsonText('{"global_action_seq":');
const ACCOUNT_ACTION_SEQ = jsonText(',"account_action_seq":');
const ACTION_TRACE = jsonText(',"action_trace":');

function traceOf({ action }: StoredAction, account: string | undefined): ActionTrace {
  return action.traces.find((trace) => trace.receiver === account) ?? ownTrace(action);
}
