import type { StoredAction } from '@antelope-history/store';
import { decodeActionRecord, type ActionRecord, type TransactionHeader } from '@antelope-history/records';
import { incomplete } from '../client/search';
import { type ActionList, findActions, type ListedAction } from '../indices/found-actions';
import type { FoundAction } from '../indices/hits';
import { layoutOf } from '../indices/progress';
import type { QueryState } from './query-state';

/** An action of a list with its row. */
export interface ReadAction extends ListedAction {
  row: StoredAction;
}

/** Reads a list of actions as far as the caller consumes it. `limit`: the most rows that the caller will take. */
export async function* readActions(
  { searcher, progress }: QueryState,
  list: ActionList,
  limit: number,
): AsyncGenerator<ReadAction> {
  for await (const chunk of findActions(searcher, layoutOf(progress), list, limit)) {
    for (const { document, version } of chunk) yield { document, version, row: storedActionOf(document) };
  }
}

function storedActionOf(document: FoundAction): StoredAction {
  return {
    action: decodeActionRecord(document.record, document.firstSequence),
    transactionId: document.transaction,
    blockNum: document.blockNum,
    blockId: document.block,
    blockTimestamp: document.timestamp,
  };
}

/** Throws `STORE_UNAVAILABLE` unless these are all actions of a transaction: each trace has one global sequence. */
export function assertWhole({ id, sequenceCount }: TransactionHeader, actions: readonly ActionRecord[]): void {
  const traces = actions.reduce((sum, action) => sum + action.traces.length, 0);
  if (traces !== sequenceCount) throw incomplete(`${traces} of ${sequenceCount} traces of ${id.toString('hex')}`);
}
