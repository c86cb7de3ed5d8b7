import type { ActionList } from '../indices/found-actions';
import { readActions, type ReadAction } from './action-reader';
import { historyBlocks, onBranch } from './branch-filter';
import { historySearch, type QueryState } from './query-state';

/** The trace with a global sequence: its action and its ordinal in the transaction; undefined if there is none. */
export async function findParentTrace(
  state: QueryState,
  sequence: number,
): Promise<{ action: ReadAction; ordinal: number } | undefined> {
  const action = await actionUpTo(state, sequence);
  const trace = action?.row.action.traces.find(({ receipt }) => receipt.globalSequence === sequence);
  return action && trace && { action, ordinal: trace.ordinal };
}

/**
 * The action that has the trace with a global sequence. The traces of notified accounts follow that of the contract, so it is the
 * last action whose own sequence is not above this one.
 */
async function actionUpTo(state: QueryState, sequence: number): Promise<ReadAction | undefined> {
  const { progress } = state;
  const blocks = historyBlocks(progress);
  if (!blocks) return undefined;
  const list: ActionList = {
    ...historySearch(state, 'actions'),
    filters: [{ range: { sequence: { lte: sequence } } }, onBranch(progress, blocks)],
    order: 'desc',
  };
  for await (const found of readActions(state, list, 1)) return found;
  return undefined;
}
