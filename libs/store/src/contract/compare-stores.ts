import { isDeepStrictEqual } from 'node:util';
import { type ActionRecord, copyReceipt } from '@antelope-history/records';
import type { StoredAction } from '../stored';
import type { ActionsQuery, HistoryReader } from '../history-store';
import { EVERY_ACTION } from './every-action';

export interface StoreComparison {
  blocks: number;
  transactions: number;
  actions: number;
  accounts: number;
  /** Descriptions of the differences; empty when the stores are equal. */
  differences: string[];
}

const PAGE = 1000;
const MAX_DIFFERENCES = 20;
/** Accounts of genesis whose permissions never change, so that only the first state has them. */
const GENESIS_ACCOUNTS = ['eosio.null', 'eosio.prods'];

/**
 * Compares the data of two stores: each block and its traces, each transaction by its id, all actions of the chain and of each
 * account, whether each account exists, and the accounts that it controls. The owners of keys are not compared: no reader lists
 * the keys.
 */
export async function compareStores(left: HistoryReader, right: HistoryReader): Promise<StoreComparison> {
  const comparison: StoreComparison = { blocks: 0, transactions: 0, actions: 0, accounts: 0, differences: [] };
  const compare = async (what: string, read: (store: HistoryReader) => Promise<unknown>): Promise<void> => {
    if (isDeepStrictEqual(await read(left), await read(right))) return;
    if (comparison.differences.length < MAX_DIFFERENCES) comparison.differences.push(what);
  };
  const status = await left.getStatus();
  await compare('status', async (store) => {
    // The revision counts the forks that a store saw; after a restart it may have missed some.
    const { chainId, firstBlockNum, committed, head, lastIrreversible } = await store.getStatus();
    return { chainId, firstBlockNum, committed, head, lastIrreversible };
  });
  for (let num = status.firstBlockNum ?? 0; num <= (status.committed?.num ?? -1); num++) {
    comparison.blocks++;
    await compare(`block ${num}`, async (store) => (await store.getBlock({ num })).block);
    await compare(`traces of block ${num}`, async (store) => transactionsOf(await store.getBlockTraces({ num })));
  }
  const accounts = new Set(GENESIS_ACCOUNTS);
  const transactions = new Set<string>();
  for await (const row of actionsOf(left, undefined)) {
    comparison.actions++;
    transactions.add(row.transactionId);
    for (const trace of row.action.traces) accounts.add(trace.receiver);
    for (const level of row.action.authorization) accounts.add(level.actor);
  }
  for (const id of transactions) {
    comparison.transactions++;
    await compare(`transaction ${id}`, async (store) => {
      const lookup = await store.getTransaction(id);
      return lookup.found === 'one' ? copyActions(lookup.transaction) : lookup.found;
    });
  }
  for (const account of [undefined, ...accounts]) {
    comparison.accounts++;
    await compareLists(left, right, account, comparison.differences);
    if (account === undefined) continue;
    await compare(`account ${account}`, async (store) => (await store.hasAccount(account)).exists);
    await compare(`controlled by ${account}`, async (store) => (await store.getControlledAccounts(account)).accounts);
  }
  return comparison;
}

async function compareLists(
  left: HistoryReader,
  right: HistoryReader,
  account: string | undefined,
  differences: string[],
): Promise<void> {
  for (let skip = 0; ; skip += PAGE) {
    const query = pageQuery(account, skip);
    const [ours, theirs] = [await left.getActions(query), await right.getActions(query)];
    if (
      !isDeepStrictEqual([copyRows(ours.rows), ours.more], [copyRows(theirs.rows), theirs.more]) &&
      differences.length < MAX_DIFFERENCES
    ) {
      differences.push(`actions of ${account ?? 'the chain'} from ${skip}`);
    }
    if (!ours.more) return;
  }
}

const transactionsOf = ({ transactions }: { transactions: { actions: ActionRecord[] }[] }) =>
  transactions.map(copyActions);

/** Decoded receipts read their fields from a record, and two records of the same action can differ. */
function copyAction(action: ActionRecord): ActionRecord {
  return { ...action, traces: action.traces.map((trace) => ({ ...trace, receipt: copyReceipt(trace.receipt) })) };
}

function copyActions<T extends { actions: ActionRecord[] }>(transaction: T): T {
  return { ...transaction, actions: transaction.actions.map(copyAction) };
}

/** Rows that can be compared with those of a store whose records have another form. */
export function copyRows<T extends StoredAction>(rows: readonly T[]): T[] {
  return rows.map((row) => ({ ...row, action: copyAction(row.action) }));
}

async function* actionsOf(store: HistoryReader, account: string | undefined): AsyncGenerator<StoredAction> {
  for (let skip = 0; ; skip += PAGE) {
    const { rows, more } = await store.getActions(pageQuery(account, skip));
    yield* rows;
    if (!more) return;
  }
}

function pageQuery(account: string | undefined, skip: number): ActionsQuery {
  return { ...EVERY_ACTION, account, skip, limit: PAGE };
}
