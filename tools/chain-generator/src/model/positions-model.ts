import type { ExecutedTrace, GeneratedBlock, GeneratedTransaction } from '../generated-block';
import { actionsMeeting, type ActionsRequest } from './actions-model';
import { actionTraceJson, blockTime, integerJson } from './node-json';

/** A request to `get_actions` by the rules of the history plugin. A number may be written as text. */
export type PositionsRequest = Omit<ActionsRequest, 'transfer.from' | 'transfer.to'>;

interface AccountTrace {
  trace: ExecutedTrace;
  transaction: GeneratedTransaction;
  block: GeneratedBlock;
}

/** What an absent field means (nodeos history_plugin.cpp, get_actions). */
const DEFAULT_POS = -1;
const DEFAULT_OFFSET = -20;

/**
 * The rows of a request over the blocks of a branch, oldest first: the traces that the account received or authorised, which
 * nodes number in the order of their ordinals. Those of blocks below `firstKept` have their numbers, but no rows.
 */
export function positionsPage(
  branch: readonly GeneratedBlock[],
  request: PositionsRequest,
  firstKept: number,
): { actions: object[] } {
  const traces = branch.flatMap((block) => tracesOf(block, request.account_name));
  const pos = Number(request.pos ?? DEFAULT_POS);
  const offset = Number(request.offset ?? DEFAULT_OFFSET);
  const from = pos === -1 ? traces.length : pos;
  const [first, last] = offset > 0 ? [from, from + offset] : [from + offset, from];
  const kept = branch.filter(({ num }) => num >= firstKept);
  const meeting = actionsMeeting(kept, request);
  const rows = traces
    .map((trace, position) => ({ trace, position }))
    .filter(({ trace, position }) => position >= first && position <= last && meeting.has(trace.trace.action));
  if (['desc', '-1'].includes(String(request.sort))) rows.reverse();
  return { actions: rows.map(({ trace, position }) => rowJson(trace, position)) };
}

function tracesOf(block: GeneratedBlock, account: string | undefined): AccountTrace[] {
  return block.transactions
    .filter(({ status }) => status === 'executed')
    .flatMap((transaction) => transaction.traces.map((trace) => ({ trace, transaction, block })))
    .filter(({ trace: { receiver, action } }) => {
      return receiver === account || action.spec.authorization.some(({ actor }) => actor === account);
    });
}

function rowJson({ trace, transaction, block }: AccountTrace, position: number): object {
  return {
    global_action_seq: integerJson(trace.receipt.globalSequence),
    account_action_seq: position,
    block_num: block.num,
    block_time: blockTime(block),
    action_trace: actionTraceJson(trace, transaction, block),
  };
}
