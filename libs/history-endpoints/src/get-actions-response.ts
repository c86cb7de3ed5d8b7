import { blockTimestampToString } from '@antelope-history/abi';
import type { GetActionsResponse } from '@antelope-history/history-routes';
import type { ActionTrace } from '@antelope-history/records';
import {
  type AbiDecoders,
  AbiRequestSet,
  ownTrace,
  renderAct,
  renderInteger64,
  type ResponseBudget,
} from '@antelope-history/responses';
import type { ActionTraceJson } from '@antelope-history/schemas';
import type { AbiRequest, ActionsPage, StoredAction } from '@antelope-history/store';
import { renderActionTrace, renderOmittedTrace, type TraceContext, undecodedTraceBytes } from './action-trace';

/** The ABIs that `renderActions` needs. */
export function abisOfActions(rows: readonly StoredAction[]): AbiRequest[] {
  const requests = new AbiRequestSet();
  for (const { action, blockNum } of rows) requests.addAction(action, blockNum);
  return requests.list();
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
  const rows: RowJson[] = [];
  for (const row of page.rows) {
    const printed = printRow(row, account, decoders, budget, rows.length === 0);
    if (printed === undefined) break;
    rows.push(printed);
    if (budget.isPauseDue()) yield;
  }
  return {
    actions: rows,
    last_irreversible_block: page.status.lastIrreversible?.num ?? 0,
    head_block_num: page.status.head?.num ?? 0,
    more: page.more || rows.length < page.rows.length,
  };
}

type RowJson = GetActionsResponse['actions'][number];

/** Undefined for a row that does not fit. The first row is always printed, if need be undecoded or without its data. */
function printRow(
  row: StoredAction,
  account: string | undefined,
  decoders: AbiDecoders,
  budget: ResponseBudget,
  isFirst: boolean,
): RowJson | undefined {
  const { action, blockNum } = row;
  const { decoding } = budget;
  const trace = traceOf(row, account);
  const undecodedBytes = undecodedTraceBytes(action, trace);
  const fits = budget.hasRoom(undecodedBytes);
  if (fits) {
    const decoder = decoders.at(action.account, blockNum, ownTrace(action).receipt.globalSequence);
    const decode = (context: TraceContext) =>
      renderActionTrace(action, trace, renderAct(action, decoder, decoding), context, decoder, decoding);
    const maxBytes = undecodedBytes - decoding.spent;
    const decoded = renderRow(row, trace, decode);
    const taken = decoding.exceeded && !isFirst ? undefined : budget.takePart(decoded, maxBytes + decoding.spent);
    if (taken !== undefined || !isFirst) return taken;
  }
  if (!isFirst) return undefined;
  const undecoded = (context: TraceContext) =>
    renderActionTrace(action, trace, renderAct(action, undefined), context, undefined);
  const omitted = (context: TraceContext) => renderOmittedTrace(action, trace, context);
  return budget.takeAnyway(renderRow(row, trace, fits ? undecoded : omitted));
}

function renderRow(
  row: StoredAction,
  trace: ActionTrace,
  renderTrace: (context: TraceContext) => ActionTraceJson,
): RowJson {
  const { transactionId, blockNum, blockId } = row;
  const blockTime = blockTimestampToString(row.blockTimestamp);
  return {
    global_action_seq: renderInteger64(trace.receipt.globalSequence),
    account_action_seq: renderInteger64(trace.receipt.recvSequence),
    block_num: blockNum,
    block_time: blockTime,
    action_trace: renderTrace({ transactionId, blockNum, blockId, blockTime }),
  };
}

function traceOf({ action }: StoredAction, account: string | undefined): ActionTrace {
  return action.traces.find((trace) => trace.receiver === account) ?? ownTrace(action);
}
