import { stringifyJson } from '@antelope-history/json';
import { ROUTES } from '@antelope-history/routes';
import { type HistoryResponse, readHistoryResponses, sampleFolder } from '@antelope-history/test-support/recordings';
import { compareResponses } from '../comparison';
import { inParallel } from '../in-parallel';
import { transactionsOf } from '../losing-branches';
import { TRANSACTION_REASONS } from '../reasons/history';
import { transactionJson } from '../ship-responses';
import { Tally } from '../tally';
import { type Check, REQUESTS_AT_A_TIME } from './check';

const PATH = ROUTES.getTransaction.path;

/** Repeats every request for which the original history plugin found a transaction (recorded on EOSIO 2.0 only). */
export const checkTransactions: Check = async (chain, served) => {
  if (chain.name !== 'eosio20-edge') return [];
  const found = [...readHistoryResponses(sampleFolder(served.name))].filter(
    ({ path, status }) => path === PATH && status === 200,
  );
  const tally = new Tally('history/get_transaction', served.name);
  const compare = async ({ request, body }: HistoryResponse): Promise<void> => {
    const { id, block_num } = JSON.parse(body) as { id: string; block_num: number };
    const ours = await served.post(PATH, request as object);
    tally.add(id, compareResponses(body, ours.body, TRANSACTION_REASONS, { chain, block: chain.block(block_num) }));
  };
  await inParallel(served.some(found), REQUESTS_AT_A_TIME, compare);
  return [tally.outcome()];
};

const MIN_PREFIX = 8;

/** The shortest prefix of at least 8 digits that no other id has; `ids` are sorted. */
function shortestPrefix(id: string, ids: readonly string[]): string {
  const index = ids.indexOf(id);
  const others = [ids[index - 1], ids[ids.lastIndexOf(id) + 1]];
  let length = MIN_PREFIX;
  while (others.some((other) => other?.startsWith(id.slice(0, length)))) length++;
  return id.slice(0, length);
}

/** Compares every executed transaction of the surviving branch with the state history. */
export const checkTransactionsFromShip: Check = async (chain, served) => {
  const tally = new Tally('history/get_transaction, all of SHiP', chain.name);
  const transactions = transactionsOf(chain.blocks.values());
  const ids = transactions.map(({ trace }) => trace.id).sort();
  await inParallel(served.some(transactions), REQUESTS_AT_A_TIME, async ({ block, trace }) => {
    const spellings = [trace.id, trace.id.toUpperCase(), shortestPrefix(trace.id, ids)];
    const ours = await served.postAlike(
      PATH,
      spellings.map((id) => ({ id })),
    );
    tally.expectEqual(trace.id, stringifyJson(transactionJson(chain, block, trace)), ours.body);
  });
  return [tally.outcome()];
};
