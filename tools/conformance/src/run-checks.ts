import { checkActions } from './checks/actions';
import { checkAuthorizers } from './checks/authorizers';
import { checkBadRequests } from './checks/bad-requests';
import type { Check } from './checks/check';
import { checkChainBlocks } from './checks/chain-block';
import { checkLosingBranches } from './checks/losing-branches';
import { checkTraceBlocks, checkTraceBlocksFromShip } from './checks/trace-block';
import { checkTransactions, checkTransactionsFromShip } from './checks/transaction';

/** In the order of the table. */
export const CHECKS: readonly Check[] = [
  checkChainBlocks,
  checkTraceBlocks,
  checkTraceBlocksFromShip,
  checkTransactions,
  checkTransactionsFromShip,
  checkActions,
  checkAuthorizers,
  checkBadRequests,
  checkLosingBranches,
];
