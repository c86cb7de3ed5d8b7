import { blockTimestampToString } from '@antelope-history/abi';
import type { AbiRequest, ActionTrace, ChainStatus, StoredAction } from '@antelope-history/records';
import type { GetActionsAnswer } from '@antelope-history/schemas';
import { AbiRequestSet } from './abi-request-set';
import type { AbiDecoders } from './abi-decoders';
import { renderAct } from './act';
import { ownTrace, renderActionTrace } from './action-trace';
import { renderInteger64 } from './integer64';

/** A page of actions as the store gives it. */
export interface StoredActionsPage {
  status: ChainStatus;
  rows: StoredAction[];
  more: boolean;
}

/** The ABIs that `renderActions` needs. */
export function abisOfActions(rows: readonly StoredAction[]): AbiRequest[] {
  const requests = new AbiRequestSet();
  for (const { action, blockNum } of rows) requests.addAction(action, blockNum);
  return requests.list();
}

/**
 * The answer of `/v1/history/get_actions`. A row shows the trace of `account` if the account received the action,
 * else the contract's own.
 */
export function renderActions(
  page: StoredActionsPage,
  account: string | undefined,
  decoders: AbiDecoders,
): GetActionsAnswer {
  return {
    actions: page.rows.map((row) => renderRow(row, account, decoders)),
    last_irreversible_block: page.status.lastIrreversible?.num ?? 0,
    head_block_num: page.status.head?.num ?? 0,
    more: page.more,
  };
}

function renderRow(
  row: StoredAction,
  account: string | undefined,
  decoders: AbiDecoders,
): GetActionsAnswer['actions'][number] {
  const { action, transactionId, blockNum, blockId } = row;
  const trace = traceOf(row, account);
  const blockTime = blockTimestampToString(row.blockTimestamp);
  const decoder = decoders.at(action.account, blockNum, ownTrace(action).receipt.globalSequence);
  const place = { transactionId, blockNum, blockId, blockTime };
  return {
    global_action_seq: renderInteger64(trace.receipt.globalSequence),
    account_action_seq: renderInteger64(trace.receipt.recvSequence),
    block_num: blockNum,
    block_time: blockTime,
    action_trace: renderActionTrace(action, trace, renderAct(action, decoder), place, decoder),
  };
}

function traceOf({ action }: StoredAction, account: string | undefined): ActionTrace {
  return action.traces.find((trace) => trace.receiver === account) ?? ownTrace(action);
}
