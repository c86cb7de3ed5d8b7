import { ROUTES } from '@antelope-history/routes';
import type { RecordedFacts } from '../suite-queries/chain-facts';
import type { ContinuedChain } from './continued-chain';

/** Requests of one kind to a chain of some rounds. */
export interface GrowthCase {
  name: string;
  path: string;
  /** The next request: of transactions and blocks each time another one. */
  next(): object;
  /** A request for the first round, whose response is the same however long the chain is. */
  fixed: object;
}

const PAGE = 20;
const DEEP_POSITION = 60_000;
/** A step between transactions of consecutive requests, so that they are far apart. */
const STEP = 104_729;

/** The cases for a chain of `rounds` rounds. `lastRecorded`: the number of the last block of the first round. */
export function growthCases(
  { active, activeRows, sparse, absent, key, transactions }: RecordedFacts,
  chain: ContinuedChain,
  rounds: number,
  lastRecorded: number,
): GrowthCase[] {
  // The last blocks of the first round are not irreversible yet when it is the only one, which responses tell.
  const middle = Math.floor(lastRecorded / 2);
  const lastBlock = chain.recording.messages.at(-1)?.thisBlock?.num ?? lastRecorded;
  const actions = (name: string, request: object): GrowthCase => ({
    name,
    path: ROUTES.getActions.path,
    next: () => request,
    fixed: { ...request, before: String(middle) },
  });
  let count = 0;
  const nextOf = (total: number): number => (count++ * STEP) % total;
  return [
    actions('get_actions, 20 rows', { account_name: active, pos: -1, offset: -PAGE }),
    actions(`get_actions, pos ${DEEP_POSITION}`, { account_name: active, pos: DEEP_POSITION, offset: PAGE }),
    {
      ...actions('get_actions, middle', { account_name: active, pos: PAGE, offset: PAGE }),
      next: () => ({ account_name: active, pos: Math.floor((activeRows.length * rounds) / 2), offset: PAGE }),
    },
    actions('get_actions, few rows', {
      account_name: sparse.account,
      filter: sparse.filter,
      pos: -1,
      offset: -PAGE,
    }),
    actions('get_actions, no rows', { account_name: absent, pos: -1, offset: -PAGE }),
    {
      name: 'get_transaction',
      path: ROUTES.getTransaction.path,
      next: () => {
        const index = nextOf(transactions.length * rounds);
        const recorded = transactions[index % transactions.length]?.id ?? '';
        return { id: chain.transactionId(recorded, Math.floor(index / transactions.length)) };
      },
      fixed: { id: transactions[0]?.id },
    },
    {
      name: 'get_key_accounts',
      path: ROUTES.getKeyAccounts.path,
      next: () => ({ public_key: key.text }),
      fixed: { public_key: key.text },
    },
    {
      name: 'chain get_block',
      path: ROUTES.getChainBlock.path,
      next: () => ({ block_num_or_id: lastBlock - nextOf(lastBlock - 1) }),
      fixed: { block_num_or_id: middle },
    },
    {
      name: 'trace get_block',
      path: ROUTES.getTraceBlock.path,
      next: () => ({ block_num: lastBlock - nextOf(lastBlock - 1) }),
      fixed: { block_num: middle },
    },
  ];
}
