import { ROUTES } from '@antelope-history/routes';
import { readChainBlocks, sampleFolder } from '@antelope-history/test-support/recordings';
import { compareResponses, unexplained } from '../comparison';
import { inParallel } from '../in-parallel';
import { CHAIN_BLOCK_REASONS } from '../reasons/chain-block';
import { Tally } from '../tally';
import { type Check, REQUESTS_AT_A_TIME } from './check';

const PATH = ROUTES.getChainBlock.path;

/** Compares every recorded response of `/v1/chain/get_block`; requests the block in every form of its number and id. */
export const checkChainBlocks: Check = async (chain, served) => {
  const tally = new Tally('chain/get_block', chain.name);
  const recorded = served.some([...readChainBlocks(sampleFolder(chain.name))]);
  await inParallel(recorded, REQUESTS_AT_A_TIME, async ({ blockNum, status, body }) => {
    const block = chain.block(blockNum);
    const spellings = [blockNum, String(blockNum), block.id, block.id.toUpperCase()];
    const ours = await served.postAlike(
      PATH,
      spellings.map((block_num_or_id) => ({ block_num_or_id })),
    );
    const comparison = compareResponses(body, ours.body, CHAIN_BLOCK_REASONS, { chain, block });
    const isSameStatus = ours.status === status;
    tally.add(
      `block ${blockNum}`,
      isSameStatus ? comparison : unexplained(`status ${ours.status}, recorded ${status}`),
    );
  });
  return [tally.outcome()];
};
