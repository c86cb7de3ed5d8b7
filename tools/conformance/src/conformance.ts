import type { SampleName } from '@antelope-history/test-support/recordings';
import type { AdapterSet } from '@antelope-history/processes';
import { checkActions } from './checks/actions';
import { checkActionsByPosition } from './checks/actions-by-position';
import { checkAuthorizers } from './checks/authorizers';
import { checkBadRequests } from './checks/bad-requests';
import { checkChainBlocks } from './checks/chain-block';
import { checkBlockInfos, checkChainInfo } from './checks/chain-info';
import { checkAbis } from './checks/account-abi';
import type { Check } from './checks/check';
import { checkLosingBranches } from './checks/losing-branches';
import { checkTraceBlocks, checkTraceBlocksFromShip } from './checks/trace-block';
import { checkTransactions, checkTransactionsFromShip } from './checks/transaction';
import { RecordedChain } from './recorded-chain';
import { ALL_REQUESTS, serveRecording, type Share } from './served-recording';
import type { Outcome } from './tally';

/** In the order of the table in docs/compatibility.md. */
const CHECKS: readonly Check[] = [
  checkChainBlocks,
  checkBlockInfos,
  checkChainInfo,
  checkAbis,
  checkTraceBlocks,
  checkTraceBlocksFromShip,
  checkTransactions,
  checkTransactionsFromShip,
  checkActions,
  checkActionsByPosition,
  checkAuthorizers,
  checkBadRequests,
  checkLosingBranches,
];

/** Runs the real service on a recording and compares its responses with the recorded responses. */
export async function compareRecording(
  name: SampleName,
  set: AdapterSet,
  share: Share = ALL_REQUESTS,
): Promise<Outcome[]> {
  const chain = new RecordedChain(name);
  const served = await serveRecording(name, set, share);
  try {
    const outcomes: Outcome[] = [];
    for (const check of CHECKS) outcomes.push(...(await check(chain, served)));
    return outcomes;
  } finally {
    await served.stop();
  }
}
