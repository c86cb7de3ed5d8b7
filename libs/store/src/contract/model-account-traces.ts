import type { ActionTrace, BlockRecords } from '@antelope-history/records';
import type { AccountTrace, AccountTracesPage, AccountTracesQuery, TraceConditions } from '../account-traces';
import { actionBytes, type ActionsQuery, MAX_PAGE_BYTES } from '../history-store';
import type { StoredAction } from '../stored';
import { selectPage } from './model-actions';
import { sequenceOf, storedTransactionsOf } from './model-rows';

/** A page of an account's traces, by numbering all traces of the chain that the account received or authorised. */
export function selectAccountTraces(
  blocks: readonly BlockRecords[],
  { account, select, order = 'asc', conditions }: AccountTracesQuery,
): Omit<AccountTracesPage, 'status'> {
  const ofAccount = blocks.flatMap((block) => tracesOfBlock(block).get(account) ?? []);
  const { first, last } = select(ofAccount.length, 0);
  const meeting = conditions && sequencesMeeting(blocks, conditions);
  const selected = ofAccount
    .map((trace, position): AccountTrace => ({ ...trace, position }))
    .filter(({ position }) => position >= first && position <= last)
    .filter((row) => !meeting || meeting.has(sequenceOf(row)));
  if (order === 'desc') selected.reverse();
  let bytes = 0;
  const lastRow = selected.findIndex((row) => (bytes += actionBytes(row)) >= MAX_PAGE_BYTES);
  const rows = lastRow < 0 ? selected : selected.slice(0, lastRow + 1);
  return { rows, more: rows.length < selected.length };
}

/** The sequences of the actions that `get_actions` would list. */
function sequencesMeeting(blocks: readonly BlockRecords[], conditions: TraceConditions): Set<number> {
  const query: ActionsQuery = {
    ...conditions,
    account: undefined,
    data: [],
    order: 'asc',
    skip: 0,
    limit: Infinity,
    window: 'skip',
  };
  return new Set(selectPage(blocks, query, () => new Map(), Infinity).rows.map(sequenceOf));
}

type Trace = StoredAction & { trace: ActionTrace };

const traces = new WeakMap<BlockRecords, ReadonlyMap<string, Trace[]>>();

/** The traces of a block that each account received or authorised, in the order of its transactions and ordinals. */
function tracesOfBlock(block: BlockRecords): ReadonlyMap<string, Trace[]> {
  let ofBlock = traces.get(block);
  if (!ofBlock) traces.set(block, (ofBlock = byAccount(makeTraces(block))));
  return ofBlock;
}

function byAccount(all: readonly Trace[]): ReadonlyMap<string, Trace[]> {
  const lists = new Map<string, Trace[]>();
  for (const each of all) {
    const accounts = new Set([each.trace.receiver, ...each.action.authorization.map(({ actor }) => actor)]);
    for (const account of accounts) {
      const list = lists.get(account);
      if (list) list.push(each);
      else lists.set(account, [each]);
    }
  }
  return lists;
}

function makeTraces(block: BlockRecords): Trace[] {
  return storedTransactionsOf(block).flatMap(({ id, blockNum, blockId, blockTimestamp, actions }) =>
    actions
      .flatMap((action) => action.traces.map((trace) => ({ action, trace })))
      .sort((left, right) => left.trace.ordinal - right.trace.ordinal)
      .map((each) => ({ ...each, transactionId: id, blockNum, blockId, blockTimestamp })),
  );
}
