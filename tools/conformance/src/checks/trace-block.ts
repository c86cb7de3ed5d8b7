import { stringifyJson } from '@antelope-history/json';
import { ROUTES } from '@antelope-history/routes';
import { type BlockResponse, readTraceBlocks, sampleFolder } from '@antelope-history/test-support/recordings';
import { compareResponses, type Comparison, EQUAL, explainedBy, type NamedReason, unexplained } from '../comparison';
import { inParallel } from '../in-parallel';
import { TRACE_BLOCK_REASONS } from '../reasons/trace-block';
import { actionTraces, executedTraces, fromHex, type RecordedBlock } from '../recorded-block';
import type { RecordedChain } from '../recorded-chain';
import type { HttpResponse } from '../served-recording';
import { traceBlockJson } from '../ship-responses';
import { Tally } from '../tally';
import { type Check, REQUESTS_AT_A_TIME } from './check';

const PATH = ROUTES.getTraceBlock.path;

/** The contracts whose ABIs were in the configuration of the trace plugin of the recorded Leap nodes. */
const ABIS_OF_LEAP = ['eosio', 'eosio.token', 'game', 'types'];

function configuredAbis({ name }: RecordedChain): readonly string[] {
  return name === 'eosio20-edge' ? [] : ABIS_OF_LEAP;
}

/** Proof: the node failed, an action of the block does not decode with a configured ABI, and our block is that of SHiP. */
export const undecodableAction: NamedReason = {
  name: 'undecodable-action',
  sentence:
    'A block with an action that its ABI cannot decode is returned, with that action without `params`; Leap’s trace plugin responds 500.',
};

/** Compares every recorded response of `/v1/trace_api/get_block`; requests each block by its number and by its id. */
export const checkTraceBlocks: Check = async (chain, served) => {
  const tally = new Tally('trace_api/get_block', chain.name);
  const recorded = served.some([...readTraceBlocks(sampleFolder(chain.name))]);
  await inParallel(recorded, REQUESTS_AT_A_TIME, async (response) => {
    const block = chain.block(response.blockNum);
    const ours = await served.postAlike(PATH, requestsFor(block));
    tally.add(`block ${block.num}`, compareWithRecorded(chain, block, response, ours));
  });
  return [tally.outcome()];
};

/** Requests for the same block; an id takes precedence over a number. */
function requestsFor({ num, id }: RecordedBlock): object[] {
  return [
    { block_num: num },
    { block_num: String(num) },
    { block_id: id },
    { block_id: id.toUpperCase(), block_num: num + 1 },
  ];
}

function compareWithRecorded(
  chain: RecordedChain,
  block: RecordedBlock,
  { status, body }: BlockResponse,
  ours: HttpResponse,
): Comparison {
  if (status === 404) return compareMissing(ours);
  if (ours.status !== 200) return unexplained(`recorded ${status}, ours ${ours.status} ${ours.body}`);
  if (status === 200) {
    return compareResponses(body, ours.body, TRACE_BLOCK_REASONS, {
      chain,
      block,
      configuredAbis: configuredAbis(chain),
    });
  }
  if (ours.body !== stringifyJson(traceBlockJson(chain, block))) return unexplained('differs from the state history');
  if (status === 500 && hasUndecodable(chain, block)) return explainedBy(undecodableAction);
  return unexplained(`recorded ${status} ${body}, ours 200`);
}

/** Block 1 has no traces. Only the message is compared; `bad-requests.ts` compares the other fields. */
function compareMissing(ours: HttpResponse): Comparison {
  const isSame = ours.status === 404 && ours.body.includes('Trace API: block trace missing');
  return isSame ? EQUAL : unexplained(`recorded 404, ours ${ours.status} ${ours.body}`);
}

/**
 * Whether the block has an action that does not decode with an ABI of its contract, any of which may be the configured one: the
 * plugin has one ABI per contract, also for actions that ran under another.
 */
function hasUndecodable(chain: RecordedChain, block: RecordedBlock): boolean {
  return executedTraces(block)
    .flatMap(actionTraces)
    .filter(({ act, context_free }) => configuredAbis(chain).includes(act.account) && context_free === 0)
    .some(({ act: { account, name, data } }) =>
      chain.abis.versionsOf(account).some((decoder) => decoder?.decodeAction(name, fromHex(data)) === undefined),
    );
}

/** Compares every block of the surviving branch, including reversible blocks, with the state history. */
export const checkTraceBlocksFromShip: Check = async (chain, served) => {
  const tally = new Tally('trace_api/get_block, all of SHiP', chain.name);
  const blocks = [...chain.blocks.values()].filter(({ block, num }) => block !== undefined && num > 1);
  await inParallel(served.some(blocks), REQUESTS_AT_A_TIME, async (block) => {
    const block_num = block.num === chain.head.block_num ? LATEST : block.num;
    const ours = await served.post(PATH, { block_num });
    tally.expectEqual(`block ${block.num}`, stringifyJson(traceBlockJson(chain, block)), ours.body);
  });
  return [tally.outcome()];
};

const LATEST = -1;
