import { blockTimestampToString } from '@antelope-history/abi';
import type { GetActionsByPositionResponse, GetActionsResponse } from '@antelope-history/history-routes';
import { JsonFragment } from '@antelope-history/json';
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
import { TraceContext, undecodedTraceBytes, writeActionTrace, writeOmittedTrace } from './action-trace';

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
}

/**
 * Renders a page. A row shows the trace of `account` if the account received the action, otherwise the contract's own. The
 * page ends, after at least one row, before the first row that does not fit the budget decoded. Yields between rows.
 */
export function* renderActions(
  page: ActionsPage,
  account: string | undefined,
  decoders: AbiDecoders,
  budget: ResponseBudget,
): Generator<void, GetActionsResponse> {
  const rows = yield* renderActionRows(page.rows, account, decoders, budget);
  return {
    actions: JsonFragment.array<RowJson>(rows).inPlace(),
    last_irreversible_block: page.status.lastIrreversible?.num ?? 0,
    head_block_num: page.status.head?.num ?? 0,
    more: page.more || rows.length < page.rows.length,
  };
}

/** The rows of `renderActions` that fit the budget, as JSON. */
export function renderActionRows(
  rows: readonly StoredAction[],
  account: string | undefined,
  decoders: AbiDecoders,
  budget: ResponseBudget,
): Generator<void, string[]> {
  const shown = rows.map((row): ShownRow => {
    const trace = traceOf(row, account);
    return { row, trace, accountActionSeq: trace.receipt.recvSequence };
  });
  return renderRows(shown, decoders, budget);
}

/** Renders a page in the form of the history plugin; it ends early as that of `renderActions`. Yields between rows. */
export function* renderTraces(
  page: AccountTracesPage,
  decoders: AbiDecoders,
  budget: ResponseBudget,
): Generator<void, GetActionsByPositionResponse> {
  const shown = page.rows.map((row): ShownRow => ({ row, trace: row.trace, accountActionSeq: row.position }));
  const rows = yield* renderRows(shown, decoders, budget);
  return {
    actions: JsonFragment.array<RowJson>(rows).inPlace(),
    last_irreversible_block: page.status.lastIrreversible?.num ?? 0,
    head_block_num: page.status.head?.num ?? 0,
    ...((page.more || rows.length < page.rows.length) && { time_limit_exceeded_error: true as const }),
  };
}

type RowJson = GetActionsResponse['actions'][number];

/** The rows that fit the budget, at least one. */
function* renderRows(
  shown: readonly ShownRow[],
  decoders: AbiDecoders,
  budget: ResponseBudget,
): Generator<void, string[]> {
  const rows: string[] = [];
  for (const each of shown) {
    const written = writeRow(each, decoders, budget, rows.length === 0);
    if (written === undefined) break;
    rows.push(written);
    if (budget.isPauseDue()) yield;
  }
  return rows;
}

/** Undefined for a row that does not fit. The first row is always written, if need be undecoded or without its data. */
function writeRow(
  shown: ShownRow,
  decoders: AbiDecoders,
  budget: ResponseBudget,
  isFirst: boolean,
): string | undefined {
  const { row, trace } = shown;
  const { action, blockNum } = row;
  const { decoding } = budget;
  const undecodedBytes = undecodedTraceBytes(action, trace);
  const fits = budget.hasRoom(undecodedBytes);
  if (fits) {
    const decoder = decoders.at(action.account, blockNum, ownTrace(action).receipt.globalSequence);
    const maxBytes = undecodedBytes - decoding.spent;
    const decoded = writeRowOf(shown, (context) =>
      writeActionTrace(action, trace, writeAct(action, decoder, decoding), context, decoder, decoding),
    );
    const taken = decoding.exceeded && !isFirst ? undefined : budget.takePart(decoded, maxBytes + decoding.spent);
    if (taken !== undefined || !isFirst) return taken;
  }
  if (!isFirst) return undefined;
  const reduced = writeRowOf(shown, (context) =>
    fits
      ? writeActionTrace(action, trace, writeAct(action, undefined), context, undefined)
      : writeOmittedTrace(action, trace, context),
  );
  return budget.takeAnyway(reduced);
}

function writeRowOf(
  { row, trace: { receipt }, accountActionSeq }: ShownRow,
  writeTrace: (context: TraceContext) => string,
): string {
  const { transactionId, blockNum, blockId } = row;
  const blockTime = blockTimestampToString(row.blockTimestamp);
  return (
    `{"global_action_seq":${writeInteger64(receipt.globalSequence)},` +
    `"account_action_seq":${writeInteger64(accountActionSeq)},"block_num":${blockNum},` +
    `"block_time":"${blockTime}",` +
    `"action_trace":${writeTrace(new TraceContext(transactionId, blockNum, blockId, blockTime))}}`
  );
}

function traceOf({ action }: StoredAction, account: string | undefined): ActionTrace {
  return action.traces.find((trace) => trace.receiver === account) ?? ownTrace(action);
}
